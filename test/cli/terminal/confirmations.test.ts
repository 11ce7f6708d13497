/** Tests the rule of confirmations for every command that asks for one: `--yes` and `--accept-risk`. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Command } from '../../../src/cli/command.js'
import { allCommands } from '../../../src/cli/commands.js'
import { commandLineWith } from '../../../src/cli/framework/shell.js'
import { testHome, type TestHome } from '../support/closedHome.js'
import { coffer } from '../support/testTerminal.js'

const all = await allCommands()
const nameOf = ({ path }: Command): string => path.join(' ')
const withYes = all.filter((each) => each.options['yes'] !== undefined)
const withRisk = all.filter((each) => each.options['acceptRisk'] !== undefined)
const onlyYes = withYes.filter((each) => !withRisk.includes(each))
const onlyRisk = withRisk.filter((each) => !withYes.includes(each))
/** Words for the arguments of a command. */
const words = (each: Command): string[] => [...each.path, ...Object.values(each.arguments).flatMap(({ required }) => (required ? ['x'] : []))]

describe('the commands that ask for a confirmation', () => {
  it('are these', () => {
    expect(onlyYes.map(nameOf).sort()).toEqual([
      'backup prune', 'consents accept', 'consents revoke', 'cores remove', 'events import', 'events restore', 'mail reset', 'mfa disable', 'mfa reset',
      'oauth clients revoke', 'oauth keys revoke', 'oauth offers withdraw', 'oauth tokens revoke', 'requests approve', 'series import',
      'service install', 'service uninstall', 'webhooks delete',
    ])
    expect(onlyRisk.map(nameOf).sort()).toEqual([
      'delegations detach', 'events delete', 'store repair', 'sync accept', 'sync new-identity', 'sync pair', 'sync unpair', 'users delete',
    ])
    expect(withYes.filter((each) => withRisk.includes(each)).map(nameOf)).toEqual(['streams delete'])
  })

  it('are the only ones that use the prompts of confirmations', () => {
    const folder = fileURLToPath(new URL('../../../src/cli/commands', import.meta.url))
    const asking = readdirSync(folder, { recursive: true })
      .map(String)
      .filter((file) => file.endsWith('.ts') && /\bconfirm(ByName)?\(terminal/.test(readFileSync(join(folder, file), 'utf8')))
    expect(asking.length).toBeGreaterThan(15)
    for (const file of asking) {
      const text = readFileSync(join(folder, file), 'utf8')
      expect([file, /yesOption\(|[rR]iskOption\(/.test(text)]).toEqual([file, true])
    }
  })

  it.each(withYes.map((each) => [nameOf(each), each] as const))('%s takes -y', (_, each) => expect(each.options['yes']?.short).toBe('y'))

  it.each(onlyYes.map((each) => [nameOf(each), each] as const))('%s names --yes when a risk is accepted', async (name, each) => {
    for (const risk of [['--accept-risk=lose-data'], ['--accept-risk', 'lose-data']]) {
      const { code, out, err } = await coffer([...words(each), ...risk], { env: { COFFER_HOME: '/nowhere' } })
      expect([code, out]).toEqual([2, ''])
      expect(err).toContain(`coffer ${name} does not take --accept-risk, but --yes`)
      expect(err).toContain(`To confirm it: coffer ${words(each).join(' ')} --yes\n`)
    }
  })

  it.each(onlyRisk.map((each) => [nameOf(each), each] as const))('%s names its risk when --yes is given', async (name, each) => {
    const risk = `--accept-risk=${each.options['acceptRisk']?.suggests?.[0] ?? ''}`
    for (const yes of ['--yes', '-y']) {
      const { code, out, err } = await coffer([...words(each), yes], { env: { COFFER_HOME: '/nowhere' } })
      expect([code, out]).toEqual([2, ''])
      expect(err).toContain(`coffer ${name} does not take ${yes}, but ${risk}`)
      expect(err).toContain(`To confirm it: coffer ${words(each).join(' ')} ${risk}\n`)
    }
  })

  it.each(withRisk.map((each) => [nameOf(each), each] as const))('%s refuses another risk', (_, each) => {
    expect(() => each.options['acceptRisk']?.read(['everything'])).toThrow(each.options['acceptRisk']?.suggests?.[0] ?? 'no risk')
  })
})

describe('without a terminal, the complete command is named', () => {
  let node: TestHome
  let event = ''

  beforeAll(async () => {
    node = await testHome('ana-lovelace')
    await node.json('streams create Heart --id heart')
    await node.json('streams create Empty --id empty')
    event = String(((await node.json('events create --stream heart --type mass/kg --content 62'))['event'] as { id: string }).id)
    await node.json(`events update ${event} --content 63`)
    await node.json('accesses create --name lab --type app --permission heart:manage')
    await node.json('webhooks create https://lab.example.org/changes --access lab')
    await node.json('oauth clients create --name Lab --client-id heart-lab --redirect-uri https://lab.example/cb')
  })
  afterAll(() => node.remove())

  it.each([
    ['users delete ana-lovelace', '--accept-risk=lose-data'],
    ['events delete <event>', '--accept-risk=lose-data'],
    ['events delete <event> --user ana-lovelace --json', '--accept-risk=lose-data'],
    ['streams delete heart --delete-events', '--accept-risk=lose-data'],
    ['streams delete empty', '--yes'],
    ['webhooks delete https://lab.example.org/changes', '--yes'],
    ['oauth clients revoke heart-lab', '--yes'],
    ['oauth tokens revoke --client heart-lab', '--yes'],
    ['mail reset welcome-email', '--yes'],
  ])('coffer %s %s', async (typed, option) => {
    const line = typed.replace('<event>', event)
    const { code, out, err } = await node.run(line)
    expect([code, out]).toEqual([2, ''])
    const message = line.endsWith('--json') ? (JSON.parse(err) as { error: { message: string; data: { hint: string } } }).error : undefined
    expect(message?.message ?? err).toContain(`Cannot prompt here; ${option} is missing`)
    expect(message?.data.hint ?? err).toContain(`To confirm it: coffer ${line} ${option}`)
  })

  it('for the deletion of events, although --yes is given', async () => {
    const { code, err } = await node.run('streams delete heart --delete-events --yes')
    expect(code).toBe(2)
    expect(err).toContain('--yes does not accept this risk.')
    expect(err).toContain('To confirm it: coffer streams delete heart --delete-events --yes --accept-risk=lose-data')
  })

  it('before the confirmation, unknown names are reported', async () => {
    for (const line of ['oauth tokens revoke --client nothing', 'oauth tokens revoke --client heart-lab --user nobody-here', 'mail reset nothing', 'users delete nobody-here']) {
      expect([line, (await node.run(line)).code]).toEqual([line, 5])
    }
  })
})

describe('a command line with an option added', () => {
  it.each([
    [['users', 'delete', 'ana'], '--yes', 'coffer users delete ana --yes'],
    [['apps', 'remove', '--', '-x'], '--yes', 'coffer apps remove --yes -- -x'],
    [['consents', 'accept', 'https://tok@example.org/ana/'], '--yes', 'coffer consents accept <link> --yes'],
    [['sync', 'accept', 'coffer:pair/HX4T@https://x/'], '--yes', 'coffer sync accept <link> --yes'],
    [['a', "it's"], '-y', `coffer a 'it'\\''s' -y`],
  ])('of %j and %s is %s', (argv, option, line) => expect(commandLineWith(argv, option)).toBe(line))
})
