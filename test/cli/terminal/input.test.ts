import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { Failure } from '../../../src/store/model/failure.js'
import { confirm, confirmByName } from '../../../src/cli/terminal/input/confirm.js'
import { readSecret } from '../../../src/cli/terminal/input/secret.js'
import { screen } from '../support/testTerminal.js'
import type { Screen } from '../support/testTerminal.js'

const folder = mkdtempSync(join(tmpdir(), 'coffer-input-'))
afterAll(() => rmSync(folder, { recursive: true }))

const interactive = { stdin: true, stderr: true }
const asking = { prompt: 'Password', missing: '--password-stdin' }

/** Types lines one after the other, like a person at prompts. */
async function typing(shown: Screen, ...keys: string[]): Promise<void> {
  for (const each of keys) {
    for (let turns = 0; turns < 20; turns++) await turn()
    shown.streams.stdin.write(each)
  }
}

describe('a secret', () => {
  it.each([
    ['one line', 'hush\n', 'hush'],
    ['without a line end', 'hush', 'hush'],
    ['with a Windows line end', 'hush\r\n', 'hush'],
    ['with its own spaces and lines', ' a\nb \n', ' a\nb '],
  ])('is read from stdin, %s', async (_, given, secret) => {
    const shown = screen()
    shown.streams.stdin.end(given)
    expect(await readSecret(shown.terminal(), { ...asking, stdin: true })).toBe(secret)
  })

  it.each(['', 'file:'])('is read from a file, given as %s<path>', async (prefix) => {
    const file = join(folder, 'secret')
    writeFileSync(file, 'hush\n')
    expect(await readSecret(screen().terminal(), { ...asking, file: `${prefix}${file}` })).toBe('hush')
  })

  it.each([
    ['typed', ['hush\r'], 'hush'],
    ['with a correction', ['hux\u007fsh\r'], 'hush'],
    ['typed again after a clear', ['wrong\u0015hush\r'], 'hush'],
    ['with arrow keys', ['hu', '\u001b[D', 'sh', '\r'], 'hush'],
    ['with multibyte characters', ['hüsh→\r'], 'hüsh→'],
  ])('is prompted for without echo, %s', async (_, keys, secret) => {
    const shown = screen(interactive)
    const [read] = await Promise.all([readSecret(shown.terminal(), asking), typing(shown, ...keys)])
    expect(read).toBe(secret)
    expect(shown.err()).toBe('Password: \n')
    expect(shown.out()).toBe('')
  })

  it('is prompted for twice when it is new', async () => {
    const same = screen(interactive)
    const twice = { ...asking, twice: true }
    expect((await Promise.all([readSecret(same.terminal(), twice), typing(same, 'hush\r', 'hush\r')]))[0]).toBe('hush')
  })

  it('is prompted for again after a mismatch, twice at most', async () => {
    const twice = { ...asking, twice: true }
    const later = screen(interactive)
    const read = Promise.all([readSecret(later.terminal(), twice), typing(later, 'hush\r', 'hash\r', 'hush\r', 'hush\r')])
    expect((await read)[0]).toBe('hush')
    expect(later.err()).toContain(' The two entries differ.')
    const never = screen(interactive)
    const all = Promise.all([readSecret(never.terminal(), twice), typing(never, 'a\r', 'b\r', 'a\r', 'b\r', 'a\r', 'b\r')])
    await expect(all).rejects.toMatchObject({ exit: 2 })
  })

  it('is preceded by its requirement, and prompted for again if it is refused', async () => {
    const shown = screen(interactive)
    const accept = async (secret: string): Promise<void> => {
      if (secret === 'weak') throw new Failure('invalid-parameters-format', 'Too weak.')
    }
    const source = { ...asking, twice: true, requirement: 'A password is strong.', accept }
    const read = Promise.all([readSecret(shown.terminal(), source), typing(shown, 'weak\r', 'weak\r', 'hush\r', 'hush\r')])
    expect((await read)[0]).toBe('hush')
    expect(shown.err()).toMatch(/^A password is strong\.\nPassword: \n(.|\n)* Too weak\./)
  })

  it('ends the prompts for a failure about something else', async () => {
    const shown = screen(interactive)
    const accept = async (): Promise<void> => {
      throw new Failure('storage-full')
    }
    const read = Promise.all([readSecret(shown.terminal(), { ...asking, twice: true, accept }), typing(shown, 'hush\r', 'hush\r')])
    await expect(read).rejects.toMatchObject({ id: 'storage-full' })
  })

  it.each([
    ['prompts are impossible', screen(), { ...asking }, '', 2, '--password-stdin is missing'],
    ['it is empty', screen(), { ...asking, stdin: true }, '\n', 2, 'is empty'],
    ['its file does not exist', screen(), { ...asking, file: join(folder, 'none') }, '', 2, 'does not exist'],
    ['the prompt is cancelled', screen(interactive), { ...asking }, 'hu\u0003', 130, 'Cancelled'],
    ['stdin ends', screen(interactive), { ...asking }, 'hu', 130, 'Cancelled'],
  ])('is refused when %s', async (_, shown, source, given, exit, message) => {
    shown.streams.stdin.end(given)
    const refused = { exit, message: expect.stringContaining(message) }
    await expect(readSecret(shown.terminal(), source)).rejects.toMatchObject(refused)
  })
})

describe('a confirmation', () => {
  it.each([
    ['y', true],
    ['yes', true],
    ['YES', true],
    ['n', false],
    ['', false],
    ['yikes', false],
  ])('is answered with %j', async (answer, agreed) => {
    const shown = screen(interactive)
    shown.streams.stdin.write(`${answer}\n`)
    const asked = confirm(shown.terminal(), 'Go on?', false)
    await (agreed ? expect(asked).resolves.toBeUndefined() : expect(asked).rejects.toMatchObject({ exit: 130 }))
    expect(shown.err()).toContain('Go on? [y/N]')
  })

  it.each(['\u0003', '\u0004', null])('is cancelled by %j, which ends the line', async (key) => {
    const shown = screen(interactive)
    const modes: boolean[] = []
    Object.assign(shown.streams.stdin, { setRawMode: (on: boolean) => modes.push(on) })
    const asked = confirm(shown.terminal(), 'Go on?', false)
    if (key === null) shown.streams.stdin.end()
    else shown.streams.stdin.write(key)
    await expect(asked).rejects.toMatchObject({ exit: 130 })
    expect(shown.err()).toMatch(/\n$/)
    expect(modes.at(-1)).toBe(false)
  })

  it('is given in advance by --yes, which the error names', async () => {
    await confirm(screen().terminal(), 'Go on?', true)
    const lacking = { exit: 2, message: expect.stringContaining('--yes is missing') }
    await expect(confirm(screen().terminal(), 'Go on?', false)).rejects.toMatchObject(lacking)
  })

  const loss = { warning: 'Everything of ana will be gone.', name: 'ana', risk: 'lose-data' }
  it.each([
    ['the name', 'ana\n', true],
    ['another name', 'ben\n', false],
    ['yes', 'yes\n', false],
    ['the end of the input', null, false],
  ])('of data loss is given or refused by %s', async (_, answer, agreed) => {
    const shown = screen(interactive)
    if (answer === null) shown.streams.stdin.end()
    else shown.streams.stdin.write(answer)
    const asked = confirmByName(shown.terminal(), loss, [])
    await (agreed ? expect(asked).resolves.toBeUndefined() : expect(asked).rejects.toMatchObject({ exit: 130 }))
  })

  it('of data loss is given in advance by --accept-risk of the same risk', async () => {
    await confirmByName(screen().terminal(), loss, ['lose-data'])
    const lacking = { exit: 2, message: expect.stringContaining('--accept-risk=lose-data is missing') }
    await expect(confirmByName(screen().terminal(), loss, ['cut-off-devices'])).rejects.toMatchObject(lacking)
  })
})
