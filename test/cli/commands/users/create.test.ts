/** Prompts of `coffer users create` and `set-password`. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../../src/cli/program.js'
import { testHome, type TestHome } from '../../support/closedHome.js'
import { screen } from '../../support/testTerminal.js'

let home: TestHome
beforeAll(async () => {
  home = await testHome('ana-lovelace')
})
afterAll(() => home.remove())
afterEach(async () => {
  await home.run('users delete carla-three --accept-risk=lose-data')
})

/** Runs a command on a terminal, and types an answer at each prompt, given as its end and the answer. */
async function conversation(line: string, answers: readonly (readonly [prompt: string, answer: string])[]): Promise<{ code: number; out: string; err: string }> {
  const shown = screen({ stdin: true, stdout: true, stderr: true })
  const env = { COFFER_HOME: home.home, NO_COLOR: '1' }
  let ended = false
  const code = runCommandLine(line.split(' '), { env, terminal: (choices) => shown.terminal({ ...choices, env }) }).finally(() => {
    ended = true
  })
  let read = 0
  for (const [prompt, answer] of answers) {
    while (!shown.err().slice(read).includes(prompt) && !ended) await new Promise((wake) => setTimeout(wake, 5))
    if (ended) break
    read = shown.err().indexOf(prompt, read) + prompt.length
    shown.streams.stdin.write(`${answer}\r`)
  }
  return { code: await code, out: shown.out(), err: shown.err() }
}

const good = 'correct horse'
const first = 'Password for carla-three: '
const again = 'Password for carla-three again: '

describe('users create', () => {
  it.each([
    ['a taken name', 'users create ana-lovelace --email c@example.org', 6, 'Already in use: username'],
    ['a taken address', 'users create carla-three --email ana-lovelace@example.org', 6, 'Already in use: email'],
    ['a malformed name', 'users create Carla --email c@example.org', 1, 'A username has 5 to 60 lowercase letters'],
    ['a reserved name', 'users create administrator --email c@example.org', 6, 'reserved'],
    ['a malformed address', 'users create carla-three --email nowhere', 1, 'not an e-mail address'],
  ])('refuses %s before it asks for a password', async (_, line, exit, message) => {
    const { code, err } = await conversation(line, [])
    expect([code, err]).toEqual([exit, expect.stringContaining(message) as string])
    expect(err).not.toContain('Password for')
  })

  it('says what a password must have before it asks, and creates the account', async () => {
    const { code, out, err } = await conversation('users create carla-three --email c@example.org', [[first, good], [again, good]])
    expect(code).toBe(0)
    expect(err.indexOf('A password has 6 to 100 characters.')).toBeGreaterThan(-1)
    expect(err.indexOf('A password has')).toBeLessThan(err.indexOf(first))
    expect(out).toMatch(/^http:\/\/\w+@.*\/carla-three\/\n$/)
  })

  it('asks for a missing name and address, and again for refused ones', async () => {
    const { code, err } = await conversation('users create', [
      ['Username: ', 'ana-lovelace'],
      ['Username: ', 'x'],
      ['Username: ', 'carla-three'],
      ['E-mail address: ', 'nowhere'],
      ['E-mail address: ', 'c@example.org'],
      [first, good],
      [again, good],
    ])
    expect(code).toBe(0)
    expect(err).toContain('Already in use: username')
    expect(await home.json('users show carla-three')).toMatchObject({ user: { email: 'c@example.org' } })
  })

  it('asks again after a mismatch and a refused password', async () => {
    const { code, err } = await conversation('users create carla-three --email c@example.org', [[first, good], [again, 'other'], [first, 'abc'], [again, 'abc'], [first, good], [again, good]])
    expect(code).toBe(0)
    expect(err).toContain('✖ The two entries differ.')
    expect(err.split(first)).toHaveLength(4)
  })

  it.each([
    ['differing entries', [[first, good], [again, 'one'], [first, good], [again, 'two'], [first, good], [again, 'three']], 2],
    ['refused passwords', [[first, 'abc'], [again, 'abc'], [first, 'abc'], [again, 'abc'], [first, 'abc'], [again, 'abc']], 1],
  ] as const)('gives up after three %s', async (_, answers, exit) => {
    const { code, err } = await conversation('users create carla-three --email c@example.org', answers)
    expect(code).toBe(exit)
    expect(err.split(first)).toHaveLength(4)
    expect((await home.run('users show carla-three')).code).toBe(5)
  })

  it.each([
    ['users create', 2, '<username> is missing'],
    ['users create carla-three', 2, '--password-stdin is missing'],
    ['users create carla-three --email c@example.org --no-input', 2, '--password-stdin is missing'],
  ])('without a terminal: coffer %s exits %i', async (line, exit, message) => {
    const { code, err } = await home.run(line)
    expect([code, err]).toEqual([exit, expect.stringContaining(message) as string])
  })
})

describe('users set-password', () => {
  const prompt = 'New password for ana-lovelace: '
  const repeat = 'New password for ana-lovelace again: '
  it('asks again for a refused password', async () => {
    const { code, err } = await conversation('users set-password', [[prompt, 'abc'], [repeat, 'abc'], [prompt, 'battery staple'], [repeat, 'battery staple']])
    expect(code).toBe(0)
    expect(err).toContain('A password has 6 to 100 characters.')
    expect(err).toContain('✔ Password of ana-lovelace set')
  })
})
