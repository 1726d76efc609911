// The group: the flow of voices as a picture, with its data.
import { live, ready, say, watch } from "./shared.js";
import { flowPicture, flowTable } from "../explore/flow.js";
import { frame } from "../explore/picture.js";

await ready;
const { flow } = JSON.parse(document.getElementById("data").textContent);
if (flow) frame(document.getElementById("flow"), "voices", (width) => flowPicture(flow, width), () => flowTable(flow), say("flow_caption"));
await watch();
live();
