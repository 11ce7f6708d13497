/** How sources become a few files: for `dist` (build.js), and for processes that tests start by the dozen. */

/** Packages with native code, or that look for files beside their own; optional ones; and libraries that few runs load. */
const external = [
  '@automerge/automerge',
  '@napi-rs/keyring',
  '@node-rs/*',
  'ajv',
  'ajv-formats',
  'level',
  'libsodium-wrappers',
  'pug',
  // A debugger that ink loads when DEV=true.
  'react-devtools-core',
  'sharp',
]

/** Options of esbuild for everything that is bundled here. */
export const bundling = {
  bundle: true,
  // The engine reads every character at a start, and retains the text. Names stay, for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 200,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external,
  // Packages in the older module format ask for `require`.
  banner: { js: "import { createRequire as requireOf } from 'node:module'\nconst require = requireOf(import.meta.url)" },
  logLevel: 'warning',
}
