// Makes of each entry one file with all that it imports, and collects the licences of what was imported.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const common = {
  bundle: true,
  external: ["vscode"],
  format: "cjs",
  target: "es2022",
  minify: true,
  metafile: true,
  outdir: "out",
};
const made = [
  await build({ ...common, entryPoints: ["src/desktop.ts"], platform: "node" }),
  await build({ ...common, entryPoints: ["src/browser.ts"], platform: "browser" }),
];

const imported = made.flatMap((one) => Object.keys(one.metafile.inputs));
const packages = imported.flatMap((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []);
const licences = [...new Set(packages)].sort().map((folder) => {
  const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${folder} has no text of its licence`);
  return `${name} ${version}\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
});
writeFileSync("out/LICENCES.txt", licences.join(`\n${"-".repeat(80)}\n\n`));
