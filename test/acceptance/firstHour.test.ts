/**
 * The first hour with coffer, as README.md tells it: from the packed file in an empty home to a plotted series, a shared link, an
 * app, a second node in sync and a verified backup. Commands come from the README; the values of a run, such as links and ports,
 * are filled in. Prints how long each step took.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findChromium } from '../browser/support/chromium.js'
import { afterTheFile } from './support/coffer.js'
import { installPackage, root, version, type Installed } from './support/installed.js'
import { commandOnTerminal, type Session } from './support/terminal.js'

const later = afterTheFile()
const PASSWORD = 'correct horse battery'
const PASSPHRASE = 'four words of a backup'
const readme = readFileSync(join(root, 'README.md'), 'utf8')

/** Blocks of the README in a language, in order. */
const blocks = (language: string): string[] => [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text)

/** Commands that the README shows, without comments. */
const shown = blocks('sh').flatMap((block) => block.trim().split('\n')).map((line) => line.replace(/\s{2,}#.*$/, '').trim())
/** Commands that other tests run. */
const ELSEWHERE = new Map([
  ['npm ci && npm pack', 'package.test.ts packs without building again'],
  [`npx ./coffer-${version}.tgz start`, 'package.test.ts'],
  [`npm install --global ./coffer-${version}.tgz`, 'support/installed.ts, with a prefix'],
  ['npm ci && npm start', 'setup.test.ts'],
  ['npm ci && npm test', 'these tests'],
])
const executed = new Set<string>()

/** Returns the command of the README that begins with these words. */
function fromReadme(start: string): string {
  const found = shown.filter((line) => line.startsWith(start))
  expect(found, start).toHaveLength(1)
  executed.add(found[0] ?? '')
  return found[0] ?? ''
}

/** A table as a German Excel saves it: semicolons, decimal commas, a quoted header with an umlaut, Windows-1252. */
function germanTable(rows: number): Buffer {
  const two = (n: number): string => String(n).padStart(2, '0')
  const lines = Array.from({ length: rows }, (_, n) => `${two((n % 28) + 1)}.${two(Math.floor(n / 28) + 1)}.2026 07:30;${(74 - n / 50).toFixed(1).replace('.', ',')};"nüchtern; müde"`)
  return Buffer.from(['Datum;Gewicht;Notiz für mich', ...lines, ''].join('\r\n'), 'latin1')
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('the first hour', () => {
  let its: Installed | undefined
  let homes: Record<'first' | 'second', { env: Record<string, string>; port: number }>
  const times: [step: string, seconds: number][] = []

  beforeAll(async () => {
    const began = performance.now()
    its = await installPackage(later)
    times.push(['install', (performance.now() - began) / 1000])
    if (its === undefined) return
    const home = async (name: string): Promise<{ env: Record<string, string>; port: number }> => {
      const port = await freePort()
      mkdirSync(its?.at(name) ?? '', { recursive: true })
      return { port, env: { ...its?.env, HOME: its?.at(name) ?? '', TZ: 'Europe/Berlin', COFFER_SET_HTTP_PORT: String(port) } }
    }
    homes = { first: await home('home'), second: await home('other-home') }
  }, 300_000)

  afterAll(() => {
    const total = times.reduce((sum, [, seconds]) => sum + seconds, 0)
    console.info(`The first hour took ${total.toFixed(1)} s:\n${times.map(([step, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${step}`).join('\n')}`)
  })

  /** Opens a terminal on a machine. */
  const terminal = (line: string, on: 'first' | 'second' = 'first'): Session =>
    commandOnTerminal(line, { env: homes[on].env, cwd: its?.at('work') ?? '', rows: 24 })

  /** Types answers to the prompts of a command; returns its output. Fails unless it exits with 0. */
  async function run(line: string, { on = 'first', answers = [] }: { on?: 'first' | 'second'; answers?: [prompt: string, keys: string][] } = {}): Promise<string> {
    const session = terminal(line, on)
    for (const [prompt, keys] of answers) {
      await session.shows(prompt)
      session.type(keys)
    }
    const { code, screen } = await session.ended
    expect([line, code, screen]).toEqual([line, 0, expect.anything()])
    return screen
  }

  /** Runs a command that an output names as the next step. */
  const runPrinted = (output: string, label: string, answers: [prompt: string, keys: string][] = []): Promise<string> => {
    const command = output.split('\n').find((line) => line.trim().startsWith(`${label}: coffer `))?.split(': ')[1]
    return run(command ?? expect.unreachable(`${label} is not in ${output}`), { answers })
  }

  const step = async <T>(name: string, what: () => Promise<T>): Promise<T> => {
    const began = performance.now()
    const result = await what()
    times.push([name, (performance.now() - began) / 1000])
    return result
  }

  it('goes from the packed file to a verified backup', { timeout: 600_000 }, async ({ skip }) => {
    skip(its === undefined)
    const { at } = its ?? expect.unreachable()
    writeFileSync(at('work/weight.csv'), germanTable(60))

    const [banner, node] = await step('start', async () => {
      const session = terminal(fromReadme('coffer start'))
      return [await session.shows('Stop with Ctrl-C'), session] as const
    })
    expect(banner).toContain(`http://127.0.0.1:${homes.first.port}/`)
    const create = fromReadme('coffer users create')
    expect(banner).toContain(create)

    const created = await step('account', () => run(create, { answers: [['Password', `${PASSWORD}\r`], ['again', `${PASSWORD}\r`]] }))
    expect(created).toContain('ana-lovelace')
    await step('stream', () => run(fromReadme('coffer streams create')))
    const imported = await step('import', () => run(fromReadme('coffer events import')))
    expect(imported).toContain('60 created')
    expect(imported).toContain('semicolon, decimal comma, Windows-1252, dates dd.MM.yyyy HH:mm (Europe/Berlin)')
    const plotted = await step('plot', () => run(fromReadme('coffer events plot')))
    expect(plotted).toMatch(/74.*┤/)
    expect(plotted).toContain('60 events')
    const access = await step('link', () => run(fromReadme('coffer accesses create --name \'Dr Weber\'')))
    const link = /^http:\S+/m.exec(access)?.[0] ?? ''
    expect(new URL(link).port).toBe(String(homes.first.port))
    await step('page', () => openPage(link))

    await step('app', async () => {
      const [program = ''] = blocks('js')
      writeFileSync(at('work/weight.mjs'), program)
      const lines = [fromReadme('export LINK='), fromReadme('node weight.mjs')]
      const output = await run(lines.join('\n'))
      expect(output.match(/^\S+T\S+Z \S+ kg$/gm)).toHaveLength(3)
      expect(output).toContain(' 72.4 kg')
    })

    await step('second node', async () => {
      const other = terminal('coffer start', 'second')
      await other.shows('Stop with Ctrl-C')
      const pair = terminal(fromReadme('coffer sync pair'))
      // The terminal breaks the link, which is in quotes.
      const offered = /'(coffer:pair\/[^']+)'/.exec(await pair.shows('withdraws the offer'))?.[1]?.replaceAll('\n', '') ?? ''
      const accept = terminal(fromReadme('coffer sync accept').replace('coffer:pair/…', offered), 'second')
      await pair.shows('pair   n', ' · ')
      pair.type('y')
      await accept.shows('pair   n', ' · ')
      accept.type('y')
      for (const { code, screen } of [await pair.ended, await accept.ended]) expect([code, screen]).toEqual([0, expect.stringContaining('✔ Both nodes are in sync.')])
      const status = fromReadme('coffer sync status')
      expect(await run(status)).toContain('in sync')
      expect(await run(status, { on: 'second' })).toContain('in sync')
      const count = async (on: 'first' | 'second'): Promise<number> => (await run('coffer events list --stream weight --limit 100 -q', { on })).trim().split('\n').length
      expect([await count('first'), await count('second')]).toEqual([61, 61])
      other.type('\u0003')
      expect((await other.ended).code).toBe(0)
    })

    await step('backup', async () => {
      const made = await run(fromReadme('coffer backup create'), { answers: [['assphrase', `${PASSPHRASE}\r`], ['again', `${PASSPHRASE}\r`]] })
      expect(made).toContain('✔')
      expect(existsSync(at('work/backups'))).toBe(true)
      const answers: [string, string][] = [['assphrase', `${PASSPHRASE}\r`]]
      const verified = await run(fromReadme('coffer backup verify'), { answers })
      expect(verified).toContain('verified: all data matches')
      expect(await runPrinted(made, 'Verify that it can be restored', answers)).toContain('verified: all data matches')
    })

    await step('end of the link', async () => {
      await runPrinted(access, 'Revoke it')
      const { username: token, origin, pathname } = new URL(link)
      expect((await fetch(`${origin}${pathname}access-info`, { headers: { authorization: token } })).status).toBe(403)
    })

    await step('stop', async () => {
      node.type('\u0003')
      expect((await node.ended).code).toBe(0)
    })
    expect(shown.filter((line) => !executed.has(line) && !ELSEWHERE.has(line))).toEqual([])
  })
})

/** Opens a shared link in Chromium, and checks what its page says; without Chromium, requests it. */
async function openPage(link: string): Promise<void> {
  const executablePath = findChromium()
  if (executablePath === undefined) {
    const { username: token, origin, pathname } = new URL(link)
    const answer = await fetch(origin + pathname, { headers: { accept: 'text/html', authorization: `Basic ${Buffer.from(`${token}:`).toString('base64')}` } })
    expect(await answer.text()).toContain('Dr Weber')
    return
  }
  const browser = await chromium.launch({ executablePath, args: ['--disable-dev-shm-usage'], timeout: 60_000 })
  try {
    const page = await browser.newPage({ locale: 'en' })
    await page.goto(link)
    await page.getByRole('heading', { level: 1, name: 'ana-lovelace shares data with you' }).waitFor()
    await page.getByText('Weight', { exact: false }).first().waitFor()
    expect(await page.locator('main').textContent()).toContain('Dr Weber')
  } finally {
    await browser.close()
  }
}
