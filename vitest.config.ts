import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig, type Plugin } from 'vitest/config'
import { brokenSources, chosenBreak } from './test/programme/support/breaks.js'

const acceptance = 'test/acceptance/**/*.test.ts'
const browser = 'test/browser/**/*.test.ts'
/** These replace modules, watch them load, or follow signals of their process: each has one of its own. */
const alone = [
  'test/cli/commands/events/watch.test.ts',
  'test/cli/commands/tables.test.ts',
  'test/server/api/auth/alias.test.ts',
  'test/server/api/oauth/consent.test.ts',
  'test/server/maintenance/checkHelper.test.ts',
  'test/store/check/firstPass.test.ts',
  'test/store/leveldb/readErrors.test.ts',
  'test/store/model/eventTypesLoading.test.ts',
]

/** With `COFFER_BREAK`, sources as they are broken on purpose: the tests are to fail then. */
function breaking(): Plugin[] {
  const name = chosenBreak()
  if (name === undefined) return []
  const sources = brokenSources(name)
  return [{ name: 'broken on purpose', enforce: 'pre', transform: (_, id) => sources.get(id.split('?')[0] ?? '') }]
}

/** Hashes passwords at the lowest cost. Tests that run `alone` and other processes hash at the cost that is shipped. */
function cheapHashes(): Plugin {
  const cheap = fileURLToPath(new URL('test/support/nodes/cheapHashes.ts', import.meta.url))
  return {
    name: 'cheap password hashes',
    enforce: 'pre',
    resolveId: (id, importer) => (id === '@node-rs/argon2' && importer?.endsWith('src/server/auth/password.ts') === true ? cheap : undefined),
  }
}

export default defineConfig({
  plugins: breaking(),
  test: {
    // What hangs ends here; a machine that is busy with other things takes several times as long as a quiet one.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // Tests start whole nodes and wait for disk and sockets: three files at a time keep two cores busy.
    maxWorkers: 3,
    // Ink draws nothing on a build machine; the screens are tested there too.
    env: { CI: 'false', CONTINUOUS_INTEGRATION: 'false' },
    projects: [
      {
        extends: true,
        plugins: [cheapHashes()],
        // Files share a process: loading the whole node for each would take a third of the time.
        test: {
          name: 'main',
          isolate: false,
          // The thread for large JSON runs as it is built.
          globalSetup: ['test/acceptance/support/build.ts'],
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, acceptance, browser, ...alone],
        },
      },
      { extends: true, test: { name: 'alone', include: alone } },
      {
        extends: true,
        // These run the real binary, which is built first when its sources are newer.
        test: { name: 'acceptance', include: [acceptance], globalSetup: ['test/acceptance/support/build.ts'] },
      },
      {
        extends: true,
        // Pages in the machine's own Chromium; skipped with a notice where there is none. Files share a process, as above.
        test: { name: 'browser', isolate: false, include: [browser], globalSetup: ['test/browser/support/chromium.ts'] },
      },
    ],
  },
})
