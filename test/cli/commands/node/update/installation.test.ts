import { describe, expect, it } from 'vitest'
import { installationOf, type Machine } from '../../../../../src/cli/commands/node/update/installation.js'

const FILE_NOTE = expect.stringContaining('coffer update --check') as string

interface Given {
  files?: readonly string[]
  env?: Record<string, string>
  /** Text of package.json in the folder of npx. */
  text?: string
  newest?: string
}

/** Describes an installation on a machine with these files, with Node.js in /usr/bin. */
function describeAt(root: string, { files = [], env = {}, text, newest }: Given): ReturnType<typeof installationOf> {
  const machine: Machine = { env, execPath: '/usr/bin/node', exists: (path) => files.includes(path), read: () => text }
  return installationOf(root, machine, newest)
}

const GLOBAL = '/usr/lib/node_modules/coffer'
const globalFiles = ['/usr/bin/coffer']
const NPX = '/home/ana/.npm/_npx/0a1b/node_modules/coffer'
const npx = (...packages: unknown[]): string => JSON.stringify({ _npx: { packages } })

describe('coffer finds out how it was installed', () => {
  it.each<[string, string, Given, object]>([
    ['globally by npm', GLOBAL, { files: globalFiles }, { means: 'npm-global', description: 'npm, globally in /usr', commands: ['npm install --global ./coffer-<version>.tgz'], note: FILE_NOTE }],
    ['globally, with a published version', GLOBAL, { files: globalFiles, newest: '0.2.0' }, { means: 'npm-global', description: 'npm, globally in /usr', commands: ['npm install --global coffer@0.2.0'] }],
    [
      'globally, into another prefix than that of Node.js',
      '/home/ana/my npm/lib/node_modules/coffer',
      { files: ['/home/ana/my npm/bin/coffer'], newest: '0.2.0' },
      { means: 'npm-global', description: 'npm, globally in /home/ana/my npm', commands: ["npm install --global --prefix '/home/ana/my npm' coffer@0.2.0"] },
    ],
    ...['/.dockerenv', '/run/.containerenv'].map((file): [string, string, Given, object] => [
      `globally in a container, which has ${file}`, GLOBAL, { files: [...globalFiles, file] }, { means: 'container', commands: ['docker compose build --pull', 'docker compose up --detach'] },
    ]),
    ['globally in an image with the variable container', GLOBAL, { files: globalFiles, env: { container: 'docker' } }, { means: 'container' }],
    ['globally, on a machine that systemd started', GLOBAL, { files: globalFiles, env: { container: 'lxc' } }, { means: 'npm-global' }],
    ['as a dependency', '/srv/app/node_modules/coffer', { files: ['/srv/app/package.json'] }, { means: 'npm-project', description: 'npm, as a dependency of /srv/app', commands: ['npm install --prefix /srv/app ./coffer-<version>.tgz'], note: FILE_NOTE }],
    ['by npx, from a file', NPX, { text: npx('./coffer-0.1.0.tgz') }, { means: 'npx', description: 'npx, from ./coffer-0.1.0.tgz', commands: ['npx ./coffer-<version>.tgz start'], note: FILE_NOTE }],
    ['by npx, from the registry', NPX, { text: npx('coffer@0.1.0') }, { means: 'npx', description: 'npx, from coffer@0.1.0', commands: ['npx coffer@latest start'] }],
    ['by npx, with a published version', NPX, { text: npx('./coffer-0.1.0.tgz'), newest: '0.2.0' }, { means: 'npx', description: 'npx, from ./coffer-0.1.0.tgz', commands: ['npx coffer@0.2.0 start'] }],
    ['by npx, without its package.json', NPX, {}, { means: 'npx', description: 'npx', commands: ['npx ./coffer-<version>.tgz start'], note: FILE_NOTE }],
    ['as a checkout', '/home/ana/my coffer', { files: ['src', 'build.js', '.git'].map((name) => `/home/ana/my coffer/${name}`) }, { means: 'checkout', description: 'source checkout', commands: ["cd '/home/ana/my coffer'", 'git pull', 'npm ci', 'npm run build'] }],
    ['as a checkout in a container', '/c', { files: ['/c/src', '/c/build.js', '/c/.git', '/.dockerenv'] }, { means: 'checkout' }],
    ['as sources without git', '/c', { files: ['/c/src', '/c/build.js'] }, { means: 'sources', commands: ['cd /c', 'npm ci', 'npm run build'] }],
    ['by another program', '/opt/coffer', {}, { means: 'unknown', commands: [], note: 'Update it with the program that installed it.' }],
    ['by another program that has node_modules', '/opt/store/node_modules/coffer', {}, { means: 'unknown', commands: [] }],
    ['globally, but without its program', GLOBAL, {}, { means: 'unknown' }],
  ])('%s', (_, root, given, expected) => expect(describeAt(root, given)).toMatchObject(expected))
})
