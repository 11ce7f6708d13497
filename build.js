/**
 * Builds `dist` from the sources: a few files in place of a thousand modules, since finding and compiling modules is
 * most of what a start takes. Types are the type checker's business (`npm run typecheck`). With `--if-changed`, keeps a
 * build that is newer than its sources.
 */
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { build } from 'esbuild'
import { bundling } from './bundle.js'
import { chunkGroups } from './scripts/chunkGroups.js'
import { LICENCES, writeLicences } from './scripts/licences.js'
import { step } from './scripts/step.js'
import { isUpToDate } from './scripts/upToDate.js'

/** Files and folders that a build depends on. */
const SOURCES = ['src', 'scripts', 'build.js', 'bundle.js', 'package-lock.json']

/** Modules that share a chunk: those of most commands, and those that open a closed store. */
const GROUPS = {
  base: { of: (entry) => entry.startsWith('src/cli/commands/'), share: 0.15, all: ['src/cli/program.ts', 'src/cli/client/socket.ts'] },
  store: { of: () => false, share: 1, all: ['src/cli/client/offline.ts'] },
}
/** Entries that load as little as possible. */
const LEAN = ['src/cli/main.ts', 'src/store/engine/inspectionThread.ts']

if (process.argv.includes('--if-changed') && isUpToDate(LICENCES, SOURCES)) process.stderr.write('✔ The build is up to date\n')
else await buildAll().catch(fail)

async function buildAll() {
  rmSync('dist', { recursive: true, force: true })
  let metafile
  await step('Bundle the sources', async () => {
    metafile = await bundle()
    return `${Object.keys(metafile.inputs).length} modules`
  })
  writeContents(metafile)
  await step('Copy Automerge, jq and uPlot', copyPackages)
  // The last step: its file marks a complete build.
  await step('Collect licences', async () => `${writeLicences(metafile)} packages`)
}

async function bundle() {
  const options = {
    ...bundling,
    entryPoints: [
      { in: 'src/cli/main.ts', out: 'main' },
      // Programs of threads, which are found beside the chunks (src/store/engine/threadProgram.ts).
      { in: 'src/server/call/json/thread.ts', out: 'largeJsonWorker' },
      { in: 'src/store/engine/inspectionThread.ts', out: 'inspectionWorker' },
      { in: 'src/server/maintenance/work/checkThread.ts', out: 'checkWorker' },
    ],
    // Files below look for package.json two folders above, as the sources do.
    outdir: 'dist/cli',
    splitting: true,
    metafile: true,
    define: { AUTOMERGE_FILE: '"./fullfat_node.cjs"', JQ_FILE: '"./jq.wasm"', UPLOT_FOLDER: '"./"', 'process.env.NODE_ENV': '"production"' },
  }
  const { metafile: ungrouped } = await build({ ...options, write: false })
  const { metafile } = await build({ ...options, plugins: [chunkGroups(ungrouped.inputs, GROUPS, LEAN)] })
  return metafile
}

/** Writes which sources each file contains, and which files it loads at once, for tests: the files do not name their sources. */
function writeContents({ outputs }) {
  const contents = Object.entries(outputs).map(([path, { inputs, imports }]) => {
    const loads = imports.filter(({ kind, external }) => kind === 'import-statement' && external !== true).map((one) => basename(one.path))
    return [basename(path), { sources: Object.keys(inputs), loads }]
  })
  writeFileSync('dist/contents.json', JSON.stringify(Object.fromEntries(contents)))
}

/**
 * Copies what is loaded as a file: one of the eight variants in which Automerge is installed, of 5 MB each, the WebAssembly of
 * Automerge and of jq, and the chart library of the pages.
 */
async function copyPackages() {
  const { resolve } = createRequire(import.meta.url)
  const automerge = dirname(resolve('@automerge/automerge'))
  for (const file of ['fullfat_node.cjs', 'automerge_wasm_bg.wasm']) copyFileSync(join(automerge, file), join('dist/cli', file))
  copyFileSync(resolve('jq-wasm/jq.wasm'), 'dist/cli/jq.wasm')
  for (const file of ['uPlot.iife.min.js', 'uPlot.min.css']) copyFileSync(resolve(`uplot/dist/${file}`), join('dist/cli', file))
}

/** esbuild has printed errors of the sources; others are printed here. */
function fail(error) {
  if (error.errors === undefined) console.error(error)
  console.error('The build failed. After an update of the sources, install their packages: npm ci')
  process.exitCode = 1
}
