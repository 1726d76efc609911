// Handing a text on: to the clipboard, or by the share sheet of the device. Plain http under a name has neither.
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

// Whether it was handed on; someone who closes the sheet changed her mind, and that is no fault.
export async function share(what) {
  try { await navigator.share(what); return true; } catch { return false; }
}
