/**
 * Builds `dist` from the sources: a few files in place of a thousand modules, since finding and compiling modules is
 * most of what a start takes. Types are the type checker's business (`npm run typecheck`).
 */
import { rmSync } from 'node:fs'
import { build } from 'esbuild'

/** What is asked for seldom, brings native code, or looks for files beside its own. */
const external = [
  '@automerge/automerge',
  '@fastify/busboy',
  '@napi-rs/keyring',
  '@node-rs/*',
  'ajv',
  'ajv-formats',
  'ink',
  'level',
  'libsodium-wrappers',
  'nodemailer',
  'pug',
  'react',
  'sharp',
  'socket.io',
]

rmSync('dist', { recursive: true, force: true })
await build({
  entryPoints: ['src/cli/main.ts'],
  // Files below look for package.json two folders above, as the sources do.
  outdir: 'dist/cli',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external,
  // Packages in the older module format ask for `require`.
  banner: { js: "import { createRequire as requireOf } from 'node:module'\nconst require = requireOf(import.meta.url)" },
  logLevel: 'warning',
})
