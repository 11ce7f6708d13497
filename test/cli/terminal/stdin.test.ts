/** Tests `-` for stdin in every parameter that reads a file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allCommands } from '../../../src/cli/commands.js'
import { readInput, withInput, wordOrInput } from '../../../src/cli/terminal/input/text.js'
import { readSecret } from '../../../src/cli/terminal/input/secret.js'
import { testHome, type TestHome } from '../support/closedHome.js'
import { coffer, screen } from '../support/testTerminal.js'

const all = await allCommands()
const parameters = all.flatMap((command) =>
  Object.entries({ ...command.arguments, ...command.options }).map(([key, parameter]) => ({ name: `${command.path.join(' ')} ${key}`, command, key, parameter })),
)

describe('the parameters that read a file', () => {
  /** Files that are written, that the node reads later, or whose name is stored. */
  const others = /( output| report| secretTo| attach| passphraseTo|^cores add out|^platform init etcd(Ca|Cert|Key)|^service install passphraseFile|^backup schedule passphraseFile)$/

  it('take - for stdin, and their help says so', () => {
    const files = parameters.filter(({ parameter }) => parameter.completes === 'file' && parameter.takes !== 'nothing')
    expect(files.length).toBeGreaterThan(25)
    for (const { name, parameter } of files.filter((each) => !others.test(each.name))) {
      expect([name, parameter.stdin]).toEqual([name, 'dash'])
    }
    const dash = parameters.filter(({ parameter }) => parameter.stdin === 'dash')
    for (const { name, parameter } of dash) expect([name, /or - for (stdin|flatJSON from stdin)/.test(parameter.summary)]).toEqual([name, true])
  })

  it('are marked when a flag reads stdin', () => {
    for (const { name, key, parameter } of parameters) if (/stdin$/i.test(key)) expect([name, parameter.stdin]).toEqual([name, 'always'])
  })
})

describe('two parameters that read stdin', () => {
  it.each([
    ['users create x --password-stdin --password-file -', '--password-stdin and --password-file - cannot both read stdin'],
    ['users import --from - --password-stdin', '--from - and --password-stdin cannot both read stdin'],
    ['users import --from - --password-file -', '--from - and --password-file - cannot both read stdin'],
    ['oauth clients create --name x --redirect-uri https://x.example/ --file - --jwks -', '--jwks - and --file - cannot both read stdin'],
    ['store rekey --keep-key passphrase --passphrase-file - --new-passphrase-file -', 'cannot both read stdin'],
    ['api events.get - --input -', 'cannot both read stdin'],
    ['events show x --decrypt --key-file a=- --key-file b=-', 'cannot both'],
  ])('are refused: coffer %s', async (line, text) => {
    const { code, out, err } = await coffer(line, { env: { COFFER_HOME: '/nowhere' }, stdin: 'x' })
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(text)
    expect(err).toContain('  → Put one of them into a file')
  })

  it('are refused when stdin is the default of one', async () => {
    const line = 'secrets create --title x --text --passphrase-file -'
    const { code, err } = await coffer(line, { env: { COFFER_HOME: '/nowhere' }, stdin: 'x' })
    expect([code, err]).toEqual([2, expect.stringContaining('cannot both be read from stdin') as string])
  })
})

it.each([
  ['events create --stream x --type mass/kg --attach -', '--attach takes a file'],
  ['service install --passphrase-file -', '--passphrase-file takes a file here'],
  ['backup schedule --passphrase-file -', '--passphrase-file takes a file here'],
  ['start --detach --passphrase-file -', 'cannot be combined with --detach'],
])('is refused where a file is read later: coffer %s', async (line, text) => {
  const { code, err } = await coffer(line, { env: { COFFER_HOME: '/nowhere' } })
  expect([code, err]).toEqual([2, expect.stringContaining(text) as string])
})

describe('stdin', () => {
  it('is read for -, and a file for its path', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coffer-stdin-'))
    try {
      writeFileSync(join(folder, 'a'), 'of the file')
      const shown = screen()
      shown.streams.stdin.end('of stdin')
      const terminal = shown.terminal()
      expect(await readInput(terminal, join(folder, 'a'), 'the text')).toBe('of the file')
      expect(await wordOrInput(terminal, 'word', 'the text')).toBe('word')
      expect(await readInput(terminal, '-', 'the text')).toBe('of stdin')
      await expect(readInput(terminal, '-', 'the keys')).rejects.toMatchObject({ exit: 2, message: 'the text and the keys cannot both be read from stdin' })
      await expect(readInput(terminal, join(folder, 'b'), 'the text')).rejects.toMatchObject({ exit: 5, message: expect.stringContaining('does not exist') as string })
      await expect(readInput(terminal, folder, 'the text')).rejects.toMatchObject({ message: expect.stringContaining('it is a folder') as string })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('on a terminal says what it waits for', async () => {
    const shown = screen({ stdin: true, stderr: true })
    shown.streams.stdin.end('text')
    await withInput(shown.terminal(), '-', 'the events', async (input) => {
      for await (const chunk of input) expect(String(chunk)).toBe('text')
    })
    expect(shown.err()).toBe('Reading the events from the terminal; end with Ctrl-D on an empty line\n')
    expect(shown.out()).toBe('')
  })

  it('of a secret on a terminal is a prompt without echo', async () => {
    const shown = screen({ stdin: true, stderr: true })
    const secret = readSecret(shown.terminal(), { prompt: 'Password', missing: '--password-stdin', file: '-' })
    shown.streams.stdin.write('correct horse\r')
    expect(await secret).toBe('correct horse')
    expect(shown.err()).toBe('Password: \n')
  })
})

describe('commands', () => {
  let node: TestHome
  beforeAll(async () => {
    node = await testHome()
  })
  afterAll(() => node.remove())

  it('read a password from -', async () => {
    expect((await node.run('users create ana-lovelace --email a@example.org --password-file -', { stdin: 'correct horse\n' })).code).toBe(0)
  })

  it('read events and parameters from -', async () => {
    await node.json('streams create Weight --id weight')
    const { code, err } = await node.run('events import -', { stdin: '{"streamIds":["weight"],"type":"mass/kg","content":1,"time":5}\n' })
    expect([code, err]).toEqual([0, expect.stringContaining('1') as string])
    expect((await node.run('api events.get --input - --user ana-lovelace', { stdin: '{"streams":["weight"]}' })).out).toContain('mass/kg')
  })

  it('read a setting from -', async () => {
    expect((await node.run('config set service.name --from -', { stdin: 'My node\n' })).code).toBe(0)
    expect((await node.run('config get service.name')).out).toBe('My node\n')
  })
})
