// The group: the flow of voices as a picture, with its data.
import { subscribeToChanges, ready, translate, checkHead } from "./group_page.js";
import { drawFlow, buildFlowTable } from "../explorer/flow.js";
import { showFigure } from "../explorer/figure.js";

await ready;
const { flow } = JSON.parse(document.getElementById("data").textContent);
if (flow) showFigure(document.getElementById("flow"), "voices", (width) => drawFlow(flow, width), () => buildFlowTable(flow), translate("flow_caption"));
await checkHead();
subscribeToChanges();
