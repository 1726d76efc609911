// The state of the view stands in the address behind the #, so that a view can be kept, or opened in another window.
const state = new URLSearchParams(location.hash.slice(1));

export const take = (name) => {
  const value = state.get(name);
  state.delete(name);
  write();
  return value;
};
export const read = (name) => state.get(name);
export function keep(name, value) {
  if (value == null || value === "") state.delete(name);
  else state.set(name, value);
  write();
}
function write() {
  const text = state.toString();
  history.replaceState(null, "", text ? `#${text}` : location.pathname);
}
