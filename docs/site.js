// Search in pages that are opened from the disk. There a browser runs no worker and fetches no file, so the worker runs
// in a hidden frame, and the index is a script (site.py writes it). Pages from a server do not need this.
if (location.protocol === "file:") {
  const root = document.currentScript.src.replace(/[^/]*$/, "");
  const load = (page, url, done) => {
    const script = page.createElement("script");
    script.src = url;
    script.onload = done;
    page.body.append(script);
  };
  window.__search = {
    index: new Promise((done) => load(document, root + "search/search_index.js", () => done(window.searchIndex))),
  };
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.inside.document.open();
      this.inside.document.write("<!doctype html><body>");
      this.inside.document.close();
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.ready = new Promise((done) => load(this.inside.document, new URL(url, location), done));
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
