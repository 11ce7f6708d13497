/** Tests of `coffer update`, with a stub in place of npm. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { productVersion } from '../../../../src/server/base/version.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { coffer } from '../../support/testTerminal.js'

const own = productVersion()
const root = mkdtempSync(join(tmpdir(), 'coffer-update-'))
const home = join(root, 'home')
const called = join(root, 'called')
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Creates an npm that records its arguments, prints a text and exits; returns its environment. */
function npmThat(prints: string, exit = 0): Record<string, string> {
  const bin = join(root, `bin-${exit}-${prints.length}`)
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'output'), prints)
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho "$@" >> ${called}\ncat ${join(bin, 'output')}\nexit ${exit}\n`)
  chmodSync(join(bin, 'npm'), 0o755)
  return { PATH: `${bin}:${process.env['PATH'] ?? ''}`, COFFER_HOME: home }
}
const callsOfNpm = (): string => (existsSync(called) ? readFileSync(called, 'utf8') : '')

const published = (version: string, more: object = {}): string =>
  JSON.stringify({ version, bin: { coffer: 'bin/coffer.js' }, engines: { node: '>=22' }, ...more })

describe('coffer update without a running node', () => {
  it('shows the installed version, its means and commands, and asks no registry', async () => {
    const { code, out, err } = await coffer('update', { env: npmThat(published('99.0.0')) })
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain(`Running    no node for ${home}\nInstalled  ${own} in `)
    expect(out).toContain('By         source checkout\n')
    expect(out).toContain(`The installed version has no changes since ${own}.`)
    expect(out).toMatch(/To update:\n {2}cd .*\n {2}git pull\n {2}npm ci\n {2}npm run build\n$/)
    expect(callsOfNpm()).toBe('')
  })

  it('shows the changes since a version', async () => {
    const { out } = await coffer('update --since 0.0.1', { env: npmThat('') })
    expect(out).toMatch(new RegExp(`^Changes in ${own} \\(.*\\):\\n {2}- `, 'm'))
    expect(out).toMatch(/^ {2}and \d+ changes more: .*CHANGELOG\.md$/m)
    const { changes, since } = JSON.parse((await coffer('update --since v0.0.1 --json', { env: npmThat('') })).out) as { changes: { version: string; entries: string[] }[]; since: string }
    expect([since, changes.map(({ version }) => version)]).toEqual(['0.0.1', [own]])
    expect(changes[0]?.entries.length).toBeGreaterThan(30)
  })

  it('prints only the installed version with --quiet', async () => expect((await coffer('update --quiet', { env: npmThat('') })).out).toBe(`${own}\n`))

  it.each(['newest', '1.x', '', '0.1.0; ls'])('refuses --since %j', async (since) => {
    const { code, err } = await coffer(['update', `--since=${since}`], { env: npmThat('') })
    expect([code, err]).toEqual([2, expect.stringContaining('--since takes a version such as 0.1.0')])
  })
})

describe('coffer update --check', () => {
  it('asks npm for the published version, and names the Node.js that it needs', async () => {
    const { code, out } = await coffer('update --check', { env: npmThat(published('99.0.0')) })
    expect([code, out]).toEqual([0, expect.stringContaining('Newest     99.0.0 in the npm registry, for Node.js >=22\n')])
    expect(callsOfNpm()).toBe('view coffer version bin engines --json\n')
  })

  it.each([
    ['the same version', published(own), 0, 0, { newest: { version: own, node: '>=22' } }],
    ['a version without engines', published('99.0.0', { engines: undefined }), 0, 0, { newest: { version: '99.0.0', node: null } }],
    ['an unpublished name', '{"error":{"code":"E404","summary":"Not Found - GET /coffer"}}', 1, 3, { newest: { problem: 'the npm registry has no package coffer: it is not published there' } }],
    ['a registry that does not answer', '{"error":{"code":"ENOTFOUND","summary":"request to / failed\\nmore"}}', 1, 3, { newest: { problem: 'npm could not ask the registry: request to / failed' } }],
    ['another program of this name', published('99.0.0', { bin: { coffer: 'cli.js' } }), 0, 3, { newest: { problem: 'the package coffer of the npm registry is another program' } }],
    ['an npm that fails without JSON', 'broken', 7, 3, { newest: { problem: expect.stringContaining('npm gave no version: Command failed') as string } }],
    ['an npm that prints nothing', '', 0, 3, { newest: { problem: 'npm gave no version' } }],
  ])('reports %s', async (_, prints, exit, code, expected) => {
    const answer = await coffer('update --check --json', { env: npmThat(prints, exit) })
    expect([answer.code, JSON.parse(answer.out)]).toEqual([code, expect.objectContaining({ installed: own, running: null, means: 'checkout', ...expected })])
  })

  it('says that the installed version is the newest', async () =>
    expect((await coffer('update --check', { env: npmThat(published(own)) })).out).toContain(`Newest     ${own} in the npm registry: the installed version is up to date\n`))

  it('reports that npm is missing', async () => {
    const { code, out } = await coffer('update --check', { env: { PATH: join(root, 'nowhere'), COFFER_HOME: home } })
    expect([code, out]).toEqual([3, expect.stringContaining('Newest     unknown: npm is not installed, or not in PATH\n')])
  })

  it('does not wait longer than --timeout', async () => {
    const env = npmThat('')
    writeFileSync(join(env['PATH']?.split(':')[0] ?? '', 'npm'), '#!/bin/sh\nexec sleep 60\n')
    const { code, out } = await coffer('update --check --timeout 200ms', { env })
    expect([code, out]).toEqual([3, expect.stringContaining('npm did not answer within 0.2 s')])
  })
})

describe('coffer update with a running node', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode()
  })
  afterAll(() => node.stop())
  const run = (line: string): ReturnType<typeof coffer> => coffer(line, { env: { COFFER_HOME: node.places.home, HOME: root } })

  it('shows its version, and commands that stop and start it', async () => {
    const { running, commands } = JSON.parse((await run('update --json')).out) as { running: string; commands: string[] }
    expect(running).toBe(own)
    expect([commands[0], commands.at(-1)]).toEqual(['coffer stop', 'coffer start'])
  })

  it('warns if it does not report its version', async () => {
    const { statusMethods } = await import('../../../../src/server/control/methods/node.js')
    const method = statusMethods.find(({ id }) => id === 'node.status')
    if (method === undefined) throw new Error('there is no node.status')
    const failing = vi.spyOn(method, 'run').mockRejectedValue(new Error('no /proc') as never)
    const { code, out, err } = await run('update')
    failing.mockRestore()
    expect([code, out, err]).toEqual([0, expect.stringContaining('Running    no node for '), expect.stringContaining('! The running node did not report its version: Something unexpected')])
  })

  it('uses systemctl if a unit runs it', async () => {
    const units = join(root, '.config/systemd/user')
    mkdirSync(units, { recursive: true })
    writeFileSync(join(units, 'mine.service'), `# Written by coffer service install, for ${node.places.home}\n`)
    const { commands } = JSON.parse((await run('update --json')).out) as { commands: string[] }
    expect([commands[0], commands.at(-1)]).toEqual(['systemctl --user stop mine.service', 'systemctl --user start mine.service'])
  })
})
