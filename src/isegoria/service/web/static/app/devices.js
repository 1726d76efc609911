// My devices: say of a key that it is the one which its owner's own phone shows. Two taps on each phone.
import { compareKey } from "./device.js";
import { translate } from "./group_page.js";

for (const button of document.querySelectorAll("button[data-compare]")) {
  button.hidden = false;
  button.onclick = async () => {
    button.disabled = true;
    const answer = await compareKey(Number(button.dataset.compare), button.dataset.key);
    button.nextElementSibling.textContent = answer.ok ? translate("compare_done") : translate(answer.messageKey, answer.values);
    button.disabled = answer.ok;
  };
}
