/** How sources become a few files: for `dist` (build.js), and for processes that tests start by the dozen. */

/** What is asked for seldom, brings native code, or looks for files beside its own. */
const external = [
  '@automerge/automerge',
  '@fastify/busboy',
  '@napi-rs/keyring',
  '@node-rs/*',
  '@peculiar/x509',
  'acme-client',
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

/** Options of esbuild for everything that is bundled here. */
export const bundling = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external,
  // Packages in the older module format ask for `require`.
  banner: { js: "import { createRequire as requireOf } from 'node:module'\nconst require = requireOf(import.meta.url)" },
  logLevel: 'warning',
}
