// The group: the flow of voices as a picture, with its data.
import { subscribeToChanges, ready, translate, checkHead, runPage } from "./group_page.js";
import { drawFlow, buildFlowTable } from "../explorer/flow.js";
import { showFigure } from "../explorer/figure.js";

async function initGroup() {
  const { flow } = JSON.parse(document.getElementById("data").textContent);
  if (flow) showFigure(document.getElementById("flow"), "voices", (width) => drawFlow(flow, width), () => buildFlowTable(flow), translate("flow_caption"));
  await checkHead();
  subscribeToChanges();
}

await ready;
await runPage(initGroup);
