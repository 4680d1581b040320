// The decide page: an edited value goes by "Send changed value", so the buttons that
// would lose it wait until it is undone. The server refuses them anyway.
(() => {
  "use strict";

  const unified = (text) => text.replace(/\r\n?/g, "\n");

  const now = (control) => {
    if (control.type === "checkbox") return control.checked ? "true" : "";
    return unified(control.value);
  };

  const look = (form) => {
    const edited = [...form.querySelectorAll("[data-start]")].some(
      (control) => now(control) !== unified(control.dataset.start),
    );
    form.toggleAttribute("data-edited", edited);
    for (const button of form.querySelectorAll("[data-loses-edits]")) {
      button.disabled = edited;
    }
    const hint = form.querySelector("[data-edit-hint]");
    if (hint) hint.hidden = !edited;
  };

  const lookAt = (event) => {
    const form = event.target.closest?.("form.sy-decide");
    if (form) look(form);
  };

  document.addEventListener("input", lookAt);
  document.addEventListener("change", lookAt);
  // Also on the way back, when a browser fills in what was typed before.
  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form.sy-decide")) look(form);
  });
})();
