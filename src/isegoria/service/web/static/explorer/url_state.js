// The state of the view stands in the address behind the #, so that a view can be kept, or opened in another window.
const state = new URLSearchParams(location.hash.slice(1));

export const consume = (name) => {
  const value = state.get(name);
  state.delete(name);
  writeHash();
  return value;
};
export const getState = (name) => state.get(name);
export function setState(name, value) {
  if (value == null || value === "") state.delete(name);
  else state.set(name, value);
  writeHash();
}
function writeHash() {
  const text = state.toString();
  history.replaceState(null, "", text ? `#${text}` : location.pathname);
}
