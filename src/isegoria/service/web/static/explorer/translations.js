// All words of a page come from a table of messages, one for each language: the explorer's, or that of a group's pages.
let messages = {};

// Take a table of messages.
export const setMessages = (table) => { messages = table; };

// The message of that name with {key} filled in from the values, and {key|one|more} chosen by it; a name that no table has shows itself.
export const translate = (name, values = {}) => (messages[name] ?? name)
  .replace(/\{(\w+)\|([^|{}]*)\|((?:[^{}]|\{\w+\})*)\}/g, (all, key, one, more) => (values[key] === 1 ? one : more))
  .replace(/\{(\w+)\}/g, (all, key) => (key in values ? values[key] : all));

// The message of a row of a table; a row that another package added, or that is new, goes by its id.
export const translateRow = (kind, id) => messages[`${kind}_${id}`] ?? id;
