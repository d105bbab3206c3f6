"use strict";
// What varies between results: the parts of `gemm2d:n=40` and `gpus:k=2,memory=500MB`.

/** Those of the program, which gives them with the data: {base, factor} by name. */
const UNITS = new Map();

/** {value, unit}: 500MB is 5e8 B, 35data is 35 data; nothing where it is no number. */
function quantityOf(text) {
  const parts = /^([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)([A-Za-z/]*)$/.exec(text);
  if (!parts) return null;
  const [, digits, unit] = parts;
  const value = Number(digits);
  const known = UNITS.get(unit);
  return known ? { value: value * known.factor, unit: known.base } : { value, unit };
}

/** The options of a spec by name; the name itself under "". */
function optionsOf(spec) {
  const colon = spec.indexOf(":");
  const options = new Map([["", colon < 0 ? spec : spec.slice(0, colon)]]);
  if (colon < 0) return options;
  let key = null;
  for (const part of spec.slice(colon + 1).split(",")) {
    const equals = part.indexOf("=");
    if (equals > 0) {
      key = part.slice(0, equals);
      options.set(key, part.slice(equals + 1));
    } else if (key !== null) {
      options.set(key, `${options.get(key)},${part}`);
    }
  }
  return options;
}

/** The options of workload and platform that differ between records: name, texts, and numbers where
 * all are numbers of one unit. */
function varyingOptions(records) {
  const found = [];
  for (const role of ["workload", "platform"]) {
    const specs = records.map((record) => optionsOf(record[role]));
    const keys = new Set(specs.flatMap((options) => [...options.keys()]));
    for (const key of keys) {
      const texts = specs.map((options) => options.get(key) || "");
      if (new Set(texts).size < 2) continue;
      const numbers = texts.map(quantityOf);
      const unit = numbers[0] ? numbers[0].unit : "";
      const numeric = numbers.every((one) => one !== null && one.unit === unit);
      found.push({ name: key === "" ? role : `${key}`, role, texts, unit,
        numbers: numeric ? numbers.map((one) => one.value) : null });
    }
  }
  return found;
}

/** Which option stands on the x axis: the one with the most numbers. */
function axisOf(options) {
  const numeric = options.filter((one) => one.numbers !== null);
  const count = (one) => new Set(one.numbers).size;
  return numeric.reduce((best, one) => (best === null || count(one) > count(best) ? one : best), null);
}
