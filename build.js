/**
 * Builds `dist` from the sources: a few files in place of a thousand modules, since finding and compiling modules is
 * most of what a start takes. Types are the type checker's business (`npm run typecheck`).
 */
import { rmSync } from 'node:fs'
import { build } from 'esbuild'
import { bundling } from './bundle.js'

rmSync('dist', { recursive: true, force: true })
await build({
  ...bundling,
  entryPoints: [
    { in: 'src/cli/main.ts', out: 'main' },
    // The program of a thread, which is found beside the chunks (src/server/call/json/largeJsonThread.ts).
    { in: 'src/server/call/json/thread.ts', out: 'largeJsonWorker' },
  ],
  // Files below look for package.json two folders above, as the sources do.
  outdir: 'dist/cli',
  splitting: true,
})
