/**
 * Builds `dist` from the sources: a few files in place of a thousand modules, since finding and compiling modules is
 * most of what a start takes. Types are the type checker's business (`npm run typecheck`).
 */
import { copyFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { bundling } from './bundle.js'
import { writeLicences } from './scripts/licences.js'

rmSync('dist', { recursive: true, force: true })
const { metafile } = await build({
  ...bundling,
  entryPoints: [
    { in: 'src/cli/main.ts', out: 'main' },
    // The program of a thread, which is found beside the chunks (src/server/call/json/largeJsonThread.ts).
    { in: 'src/server/call/json/thread.ts', out: 'largeJsonWorker' },
  ],
  // Files below look for package.json two folders above, as the sources do.
  outdir: 'dist/cli',
  splitting: true,
  metafile: true,
  define: { AUTOMERGE_FILE: '"./fullfat_node.cjs"', 'process.env.NODE_ENV': '"production"' },
})

// Automerge is installed in eight variants of 5 MB; a node needs one, and its WebAssembly.
const automerge = dirname(createRequire(import.meta.url).resolve('@automerge/automerge'))
for (const file of ['fullfat_node.cjs', 'automerge_wasm_bg.wasm']) copyFileSync(join(automerge, file), join('dist/cli', file))

await writeLicences(metafile)
