// The page that stands for one whose server cannot be reached: it looks every few seconds, and opens that page then.
const LOOK_MS = 5000; // milliseconds
const look = () => fetch("/offline", { cache: "no-store" }).then((answer) => answer.ok && location.reload(), () => {});
if (location.pathname !== "/offline") {
  setInterval(look, LOOK_MS);
  addEventListener("online", look);
}
