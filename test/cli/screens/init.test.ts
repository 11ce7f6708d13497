/** The wizard of `coffer init`: its rules as a pure state, and its screens drawn by ink on streams without a screen. */
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import pc from 'picocolors'
import { describe, expect, it } from 'vitest'
import { askInit } from '../../../src/cli/screens/init/askInit.js'
import { press } from '../../../src/cli/screens/init/keys.js'
import { initQuestions, summary } from '../../../src/cli/screens/init/questions.js'
import type { Answers, Question, Rules } from '../../../src/cli/screens/init/questions.js'
import { firstState, openQuestions, reduce } from '../../../src/cli/screens/init/state.js'
import type { Action, State } from '../../../src/cli/screens/init/state.js'

const free: Rules = {
  home: (path) => (path === '/taken' ? 'There is already a node in this folder.' : undefined),
  setting: (key, value) => (key === 'http.port' && !/^\d+$/.test(value) ? 'This must be a whole number.' : undefined),
  username: (name) => (name.length < 5 ? 'Too short.' : undefined),
  email: (address) => (address.includes('@') ? undefined : 'This is not an e-mail address.'),
  account: ({ password }) => (password.length < 6 ? 'A password has 6 to 100 characters.' : undefined),
}
const begin: Answers = {
  home: '/home/ana/coffer',
  host: '127.0.0.1',
  port: '3000',
  reach: 'path',
  publicUrl: '',
  domain: '',
  username: '',
  email: '',
  password: '',
  again: '',
}
const all = initQuestions(free)

/** Types a text over what stands there, and takes it. */
const say = (text: string): Action[] => [{ do: 'clear' }, { do: 'type', text }, { do: 'take' }]
const take: Action = { do: 'take' }
const back: Action = { do: 'back' }
const down: Action = { do: 'move', by: 1 }

function after(actions: readonly Action[], questions: readonly Question[] = all): State {
  return actions.reduce((state, action) => reduce(questions, state, action), firstState(questions, begin))
}
const asked = (state: State): string | undefined => all[state.at]?.name

describe('the questions of init', () => {
  it.each([
    ['by path, without an account', [take, take, take, take, ...say('')], 'review', {}],
    [
      'behind a proxy, with an account',
      [...say('/srv/x'), down, take, ...say('8080'), down, take, ...say('https://x.org'), ...say('ana-lovelace'), ...say('a@b.c'), ...say('secret'), ...say('secret')],
      'review',
      { home: '/srv/x', host: '0.0.0.0', port: '8080', reach: 'proxy', publicUrl: 'https://x.org', username: 'ana-lovelace', email: 'a@b.c', password: 'secret' },
    ],
    ['by host name', [take, take, take, down, down, take, ...say(' example.org ')], 'username', { reach: 'domain', domain: 'example.org' }],
    ['a folder that will not do', [...say('/taken')], 'home', { home: '/home/ana/coffer' }],
    ['no folder', [...say('  ')], 'home', {}],
    ['a port that is none', [take, take, ...say('80x')], 'port', { port: '3000' }],
    ['two passwords', [take, take, take, take, ...say('ana-lovelace'), ...say('a@b.c'), ...say('secret'), ...say('secrat')], 'again', {}],
    ['back over what was not asked', [take, take, take, take, back], 'reach', {}],
    ['back at the first', [back, back], 'home', {}],
  ] as Array<[string, Action[], string, Partial<Answers>]>)('%s', (_, actions, name, answers) => {
    const state = after(actions)
    expect(asked(state)).toBe(name)
    expect(state.answers).toMatchObject(answers)
    expect(state.outcome).toBeUndefined()
  })

  it('say why an answer will not do, until something else is typed', () => {
    const refused = after(say('/taken'))
    expect(refused.problem).toBe('There is already a node in this folder.')
    expect(refused.draft).toBe('/taken')
    expect(reduce(all, refused, { do: 'type', text: '2' })).toMatchObject({ draft: '/taken2' })
    expect(reduce(all, refused, { do: 'type', text: '2' }).problem).toBeUndefined()
  })

  it('ask a secret anew when it was refused, and never show one again', () => {
    const account = [take, take, take, take, ...say('ana-lovelace'), ...say('a@b.c')]
    expect(after([...account, ...say('abc')])).toMatchObject({ draft: '', problem: 'A password has 6 to 100 characters.' })
    expect(after([...account, ...say('secret'), back]).draft).toBe('')
  })

  it('take a secret with its spaces', () => {
    const state = after([take, take, take, take, ...say('ana-lovelace'), ...say('a@b.c'), ...say(' secret ')])
    expect(state.answers.password).toBe(' secret ')
  })

  it('erase whole characters, and take no control characters', () => {
    const state = after([{ do: 'clear' }, { do: 'type', text: 'a\u0007😀' }, { do: 'erase' }])
    expect(state.draft).toBe('a')
  })

  it('offer an address that the settings name', () => {
    const host = all.find((each) => each.name === 'host')
    expect(host?.choices?.({ ...begin, host: '10.0.0.7' }).map(({ value }) => value)).toEqual(['127.0.0.1', '0.0.0.0', '10.0.0.7'])
  })

  it('take keys that come faster than the screen', () => {
    const ahead = press(all, after([]), '\u0015/srv/x\r\u001b', {})
    expect([asked(ahead), ahead.answers.home]).toEqual(['host', '/srv/x'])
    expect(press(all, ahead, 'q', {}).outcome).toBe('leave')
    const typing = press(all, ahead, '\r', {})
    expect(press(all, typing, 'q', {})).toMatchObject({ draft: '3000q' })
    expect(press(all, typing, 'u', { ctrl: true }).draft).toBe('')
    expect(press(all, typing, 'x', { meta: true })).toEqual(typing)
  })

  it('leave out what options have answered', () => {
    const questions = openQuestions(all, new Set(['home', 'host', 'port', 'reach', 'publicUrl', 'domain', 'username']))
    const state = firstState(questions, { ...begin, username: 'ana-lovelace' })
    expect(questions[state.at]?.name).toBe('email')
    expect(questions[firstState(questions, begin).at]?.name).toBe('review')
  })

  it('end only by the last step or by leaving, whatever is typed', () => {
    const action = fc.oneof(
      fc.string().map((text): Action => ({ do: 'type', text })),
      fc.constantFrom<Action>(take, back, down, { do: 'move', by: -1 }, { do: 'erase' }, { do: 'clear' }),
    )
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        let state = firstState(all, begin)
        for (const each of actions) {
          const before = state
          state = reduce(all, state, each)
          if (state.outcome === 'make') expect([asked(before), each.do]).toEqual(['review', 'take'])
          if (before.outcome !== undefined) expect(state).toBe(before)
        }
        expect(state.outcome).not.toBe('leave')
        expect(reduce(all, { ...state }, { do: 'leave' }).outcome).toBe(state.outcome ?? 'leave')
      }),
    )
  })

  it.each([
    [begin, 5, ['/home/ana/coffer', '127.0.0.1:3000', 'http://127.0.0.1:3000/{username}/', 'no account yet']],
    [{ ...begin, host: '::' }, 4, ['/home/ana/coffer', ':::3000', 'http://127.0.0.1:3000/{username}/']],
    [{ ...begin, reach: 'proxy', publicUrl: 'https://x.org/' }, 4, ['/home/ana/coffer', '127.0.0.1:3000', 'https://x.org/{username}/']],
    [{ ...begin, reach: 'domain', domain: 'x.org' }, 4, ['/home/ana/coffer', '127.0.0.1:3000', 'https://{username}.x.org/']],
    [begin, 1, []],
  ])('are summed up', (answers, before, lines) => {
    expect(summary(answers, before).map(([, value]) => value)).toEqual(lines)
  })
})

/** A terminal for ink: what it draws is kept, what is typed arrives as from keys. */
class Keys extends PassThrough {
  readonly isTTY = true
  setRawMode(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
}

interface Drawn {
  /** What was drawn since the last key, once it holds a text. */
  shows(text: string): Promise<string>
  type(keys: string): void
  answers: Promise<Answers | undefined>
}

function draw(colour = false, columns = 100): Drawn {
  const stdin = new Keys()
  const drawn = Object.assign(new EventEmitter(), { text: '' })
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns, rows: 40 })
  stdout.on('data', (chunk) => {
    drawn.text += String(chunk)
    drawn.emit('drawn')
  })
  const plan = ({ home }: Answers): string[] => [`In ${home}:`, '  store/']
  const streams = { stdin, stdout, stderr: new PassThrough() }
  const answers = askInit({ streams, paintOut: pc.createColors(colour) }, { questions: all, answers: begin, plan })
  return {
    answers,
    type: (keys) => {
      drawn.text = ''
      stdin.write(keys)
    },
    shows: (text) =>
      new Promise((seen) => {
        const look = (): void => {
          if (!drawn.text.includes(text)) return
          drawn.off('drawn', look)
          seen(drawn.text)
        }
        drawn.on('drawn', look)
        look()
      }),
  }
}

describe('the screens of init', () => {
  it('lead from the first question to the answers', async () => {
    const { shows, type, answers } = draw()
    expect(await shows('step 1 of 5')).toContain('> /home/ana/coffer')
    type('\r')
    expect(await shows('step 2 of 5')).toContain('❯ This machine only')
    type('\u001b[B')
    await shows('❯ The network')
    type('\r')
    await shows('On which port')
    type('\u0015' + '8080')
    await shows('> 8080')
    type('\r')
    expect(await shows('step 3 of 5')).toContain('✔ Listens at  0.0.0.0:8080')
    type('\r')
    await shows('step 4 of 5')
    // Pasted lines are answers one after the other.
    type('ana-lovelace\nana@example.org\n')
    await shows('What is its password?')
    type('hunter22')
    expect(await shows('••••••••')).not.toContain('hunter')
    type('\r')
    await shows('The password again?')
    type('hunter2')
    await shows('•••••••')
    type('\r')
    await shows('✖ The two are not the same.')
    type('hunter22\r')
    const review = await shows('Make the node?')
    expect(review).toContain('  store/')
    expect(review).not.toContain('hunter')
    type('\r')
    expect(await answers).toMatchObject({ port: '8080', username: 'ana-lovelace', password: 'hunter22' })
  })

  it.each([
    ['q where nothing is typed', 'q'],
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('are left by %s', async (_, key) => {
    const { shows, type, answers } = draw()
    await shows('step 1 of 5')
    type('\r')
    await shows('step 2 of 5')
    type(key)
    expect(await answers).toBeUndefined()
  })

  it('take q for a letter where text is typed', async () => {
    const { shows, type, answers } = draw()
    await shows('step 1 of 5')
    type('q')
    await shows('coffer' + 'q')
    type('\u0003')
    expect(await answers).toBeUndefined()
  })

  it.each([
    [true, true],
    [false, false],
  ])('are styled only with colour: %s', async (colour, isStyled) => {
    const { shows, type, answers } = draw(colour)
    const first = await shows('step 1 of 5')
    if (!isStyled) expect(first).not.toMatch(/\u001b\[\d*m/)
    type('\u0003')
    await answers
  })

  it('fit into 40 columns', async () => {
    const { shows, type, answers } = draw(false, 40)
    await shows('step 1 of 5')
    type('\r')
    const drawn = await shows('step 2 of 5')
    const lines = drawn.replace(/\u001b\[[?\d;]*[A-Za-z]/g, '').split('\n')
    expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(40)
    type('q')
    await answers
  })
})
