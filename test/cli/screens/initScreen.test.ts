/** Tests of the wizard of `coffer init`: its pure state, and its screens drawn by ink on stub streams. */
import fc from 'fast-check'
import pc from 'picocolors'
import { describe, expect, it } from 'vitest'
import { askInit } from '../../../src/cli/screens/init/askInit.js'
import { press } from '../../../src/cli/screens/init/keys.js'
import { initQuestions, summary } from '../../../src/cli/screens/init/questions.js'
import type { Answers, Keychain, Question, Rules } from '../../../src/cli/screens/init/questions.js'
import { firstState, openQuestions, reduce } from '../../../src/cli/screens/init/state.js'
import type { Action, State } from '../../../src/cli/screens/init/state.js'
import { drawnTerminal, widest } from '../support/drawn.js'
import type { Drawn } from '../support/drawn.js'

const rules: Rules = {
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
  keyStorage: 'file',
  passphrase: '',
  passphraseAgain: '',
  username: '',
  email: '',
  password: '',
  again: '',
}
const all = initQuestions(rules)

/** Returns actions that replace the draft by a text and submit it. */
const submit = (text: string): Action[] => [{ do: 'clear' }, { do: 'type', text }, { do: 'submit' }]
const take: Action = { do: 'submit' }
const back: Action = { do: 'back' }
const down: Action = { do: 'move', by: 1 }
const up: Action = { do: 'move', by: -1 }
const keychainFound = { do: 'keychainChecked', check: 1, keychain: { is: 'available' } } as const

function after(actions: readonly Action[], questions: readonly Question[] = all): State {
  return actions.reduce((state, action) => reduce(questions, state, action), firstState(questions, begin))
}
const currentQuestion = (state: State): string | undefined => all[state.at]?.name

describe('the questions of init', () => {
  it.each([
    ['accept addresses by path, without an account', [take, take, take, take, take, ...submit('')], 'review', {}],
    [
      'accept a proxy and an account',
      [...submit('/srv/x'), down, take, ...submit('8080'), down, take, ...submit('https://x.org'), take, ...submit('ana-lovelace'), ...submit('a@b.c'), ...submit('secret'), ...submit('secret')],
      'review',
      { home: '/srv/x', host: '0.0.0.0', port: '8080', reach: 'proxy', publicUrl: 'https://x.org', username: 'ana-lovelace', email: 'a@b.c', password: 'secret' },
    ],
    ['accept addresses by host name', [take, take, take, down, down, take, ...submit(' example.org ')], 'keyStorage', { reach: 'domain', domain: 'example.org' }],
    ['refuse an occupied folder', [...submit('/taken')], 'home', { home: '/home/ana/coffer' }],
    ['refuse an empty folder', [...submit('  ')], 'home', {}],
    ['refuse an invalid port', [take, take, ...submit('80x')], 'port', { port: '3000' }],
    ['refuse two different passwords', [take, take, take, take, take, ...submit('ana-lovelace'), ...submit('a@b.c'), ...submit('secret'), ...submit('secrat')], 'again', {}],
    ['go back over skipped questions', [take, take, take, take, back], 'reach', {}],
    ['accept a key encrypted with a passphrase', [take, take, take, take, up, take, ...submit('six words'), ...submit('six words')], 'username', { keyStorage: 'passphrase', passphrase: 'six words' }],
    ['refuse an empty passphrase', [take, take, take, take, up, take, take], 'passphrase', {}],
    ['refuse two different passphrases', [take, take, take, take, up, take, ...submit('six words'), ...submit('six worts')], 'passphraseAgain', {}],
    ['refuse a keychain that has not answered', [take, take, take, take, up, up, take], 'keyStorage', { keyStorage: 'file' }],
    ['accept a keychain', [take, take, take, take, up, up, keychainFound, take], 'username', { keyStorage: 'keychain' }],
    ['stay at the first question on back', [back, back], 'home', {}],
  ] as Array<[string, Action[], string, Partial<Answers>]>)('%s', (_, actions, name, answers) => {
    const state = after(actions)
    expect(currentQuestion(state)).toBe(name)
    expect(state.answers).toMatchObject(answers)
    expect(state.outcome).toBeUndefined()
  })

  it('show why an answer is refused until the next input', () => {
    const refused = after(submit('/taken'))
    expect(refused.problem).toBe('There is already a node in this folder.')
    expect(refused.draft).toBe('/taken')
    expect(reduce(all, refused, { do: 'type', text: '2' })).toMatchObject({ draft: '/taken2' })
    expect(reduce(all, refused, { do: 'type', text: '2' }).problem).toBeUndefined()
  })

  it('clear a refused secret, and do not show one when going back', () => {
    const account = [take, take, take, take, take, ...submit('ana-lovelace'), ...submit('a@b.c')]
    expect(after([...account, ...submit('abc')])).toMatchObject({ draft: '', problem: 'A password has 6 to 100 characters.' })
    expect(after([...account, ...submit('secret'), back]).draft).toBe('')
  })

  it('keep the spaces of a secret', () => {
    const state = after([take, take, take, take, take, ...submit('ana-lovelace'), ...submit('a@b.c'), ...submit(' secret ')])
    expect(state.answers.password).toBe(' secret ')
  })

  it('erase whole characters, and ignore control characters', () => {
    const state = after([{ do: 'clear' }, { do: 'type', text: 'a\u0007😀' }, { do: 'erase' }])
    expect(state.draft).toBe('a')
  })

  it('offer an address from the settings', () => {
    const host = all.find((each) => each.name === 'host')
    expect(host?.choices?.({ ...begin, host: '10.0.0.7' }).map(({ value }) => value)).toEqual(['127.0.0.1', '0.0.0.0', '10.0.0.7'])
  })

  it('process keys that arrive faster than the screen is drawn', () => {
    const ahead = press(all, after([]), '\u0015/srv/x\r\u001b', {})
    expect([currentQuestion(ahead), ahead.answers.home]).toEqual(['host', '/srv/x'])
    expect(press(all, ahead, 'q', {}).outcome).toBe('quit')
    const typing = press(all, ahead, '\r', {})
    expect(press(all, typing, 'q', {})).toMatchObject({ draft: '3000q' })
    expect(press(all, typing, 'u', { ctrl: true }).draft).toBe('')
    expect(press(all, typing, 'x', { meta: true })).toEqual(typing)
  })

  it('use only the result of the latest keychain lookup', () => {
    const again = reduce(all, after([take, take, take, take]), { do: 'checkKeychain' })
    expect(again).toMatchObject({ keychainChecks: 2, keychain: { is: 'checking' } })
    expect(reduce(all, again, keychainFound).keychain).toEqual({ is: 'checking' })
    expect(reduce(all, again, { ...keychainFound, check: 2 }).keychain).toEqual({ is: 'available' })
    expect(reduce(all, after([]), { do: 'checkKeychain' }).keychainChecks).toBe(1)
  })

  it('skip questions that options answer', () => {
    const questions = openQuestions(all, new Set(['home', 'host', 'port', 'reach', 'publicUrl', 'domain', 'keyStorage', 'passphrase', 'passphraseAgain', 'username']))
    const state = firstState(questions, { ...begin, username: 'ana-lovelace' })
    expect(questions[state.at]?.name).toBe('email')
    expect(questions[firstState(questions, begin).at]?.name).toBe('review')
  })

  it('end only by the last step or by quitting, for any input', () => {
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
          if (state.outcome === 'create') expect([currentQuestion(before), each.do]).toEqual(['review', 'submit'])
          if (before.outcome !== undefined) expect(state).toBe(before)
        }
        expect(state.outcome).not.toBe('quit')
        expect(reduce(all, { ...state }, { do: 'quit' }).outcome).toBe(state.outcome ?? 'quit')
      }),
    )
  })

  it.each([
    [begin, 5, ['/home/ana/coffer', '127.0.0.1:3000', 'http://127.0.0.1:3000/{username}/', 'in a file of mode 0600', 'no account yet']],
    [{ ...begin, keyStorage: 'keychain' }, 4, ['/home/ana/coffer', '127.0.0.1:3000', 'http://127.0.0.1:3000/{username}/', 'in the system keychain']],
    [{ ...begin, host: '::' }, 3, ['/home/ana/coffer', ':::3000', 'http://127.0.0.1:3000/{username}/']],
    [{ ...begin, reach: 'proxy', publicUrl: 'https://x.org/' }, 3, ['/home/ana/coffer', '127.0.0.1:3000', 'https://x.org/{username}/']],
    [{ ...begin, reach: 'domain', domain: 'x.org' }, 3, ['/home/ana/coffer', '127.0.0.1:3000', 'https://{username}.x.org/']],
    [begin, 1, []],
  ])('are summarised', (answers, before, lines) => {
    expect(summary(answers, before).map(([, value]) => value)).toEqual(lines)
  })
})

interface Wizard extends Omit<Drawn, 'streams'> {
  answers: Promise<Answers | undefined>
}

/** Draws the wizard; keychain lookups return `keychains` in turn, then repeat the last. */
function draw({ colour = false, columns = 100, keychains = [{ is: 'available' }] as (Keychain | Promise<Keychain>)[] } = {}): Wizard {
  const { streams, ...drawn } = drawnTerminal(columns)
  const plan = ({ home }: Answers): string[] => [`In ${home}:`, '  store/']
  const checkKeychain = (): Promise<Keychain> =>
    Promise.resolve((keychains.length > 1 ? keychains.shift() : keychains[0]) ?? { is: 'available' })
  const answers = askInit({ streams, paintOut: pc.createColors(colour) }, { questions: all, answers: begin, plan, checkKeychain })
  return { ...drawn, answers }
}

describe('the screens of init', () => {
  it('collect all answers from the first to the last question', async () => {
    const { shows, type, answers } = draw()
    expect(await shows('step 1 of 5')).toContain('> /home/ana/coffer')
    type('\r')
    expect(await shows('step 2 of 5')).toContain('❯ This machine only')
    type('\u001b[B')
    await shows('❯ The network')
    type('\r')
    await shows('Which port should')
    type('\u0015' + '8080')
    await shows('> 8080')
    type('\r')
    await shows('How do apps address')
    type('\r')
    expect(await shows('step 3 of 5')).toContain('✔ Listens at  0.0.0.0:8080')
    type('\u001b[A')
    await shows('❯ A passphrase')
    type('\r')
    await shows('Passphrase for the key')
    type('six words')
    expect(await shows('•••••••••')).not.toContain('words')
    type('\rsix words\r')
    expect(await shows('step 4 of 5')).toContain('✔ Key         encrypted with a passphrase')
    // Pasted lines answer one question each.
    type('ana-lovelace\nana@example.org\n')
    await shows('Password of the account?')
    type('hunter22')
    expect(await shows('••••••••')).not.toContain('hunter')
    type('\r')
    await shows('The password again?')
    type('hunter2')
    await shows('•••••••')
    type('\r')
    await shows('✖ The two entries differ.')
    type('hunter22\r')
    const review = await shows('Create the node?')
    expect(review).toContain('  store/')
    expect(review).not.toContain('hunter')
    type('\r')
    expect(await answers).toMatchObject({ port: '8080', keyStorage: 'passphrase', passphrase: 'six words', username: 'ana-lovelace', password: 'hunter22' })
  })

  it.each([
    ['q at a choice', 'q'],
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('are quit by %s', async (_, key) => {
    const { shows, type, answers } = draw()
    await shows('step 1 of 5')
    type('\r')
    await shows('step 2 of 5')
    type(key)
    expect(await answers).toBeUndefined()
  })

  it('accept q as a letter in a text', async () => {
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
    const { shows, type, answers } = draw({ colour })
    const first = await shows('step 1 of 5')
    if (!isStyled) expect(first).not.toMatch(/\u001b\[\d*m/)
    type('\u0003')
    await answers
  })

  it('fit into 40 columns', async () => {
    const { shows, type, answers } = draw({ columns: 40, keychains: [{ is: 'unavailable', why: 'No keychain of the system can be used here: it does not answer' }] })
    await shows('step 1 of 5')
    type('\r')
    expect(widest(await shows('step 2 of 5'))).toBeLessThanOrEqual(40)
    type('\r\r\r')
    expect(widest(await shows('step 3 of 5'))).toBeLessThanOrEqual(40)
    type('q')
    await answers
  })

  it('look for a keychain again on r', async () => {
    let answer: (keychain: Keychain) => void = () => undefined
    const { shows, type, answers } = draw({ keychains: [{ is: 'unavailable', why: 'It does not answer.' }, new Promise((give) => (answer = give))] })
    await shows('step 1 of 5')
    type('\r\r\r\r')
    expect(await shows('It does not answer.')).toContain('press r to look again')
    type('\u001b[A')
    await shows('❯ A passphrase')
    type('\u001b[A')
    await shows('❯ System keychain')
    type('\r')
    await shows('✖ No keychain is available')
    type('r')
    await shows('Looking for the keychain')
    answer({ is: 'available' })
    await new Promise(setImmediate)
    type('\r')
    await shows('step 4 of 5')
    type('\u0003')
    expect(await answers).toBeUndefined()
  })

  it('restore the terminal when quit', async () => {
    const { shows, type, answers, stdin } = draw()
    await shows('step 1 of 5')
    expect(stdin.isRaw).toBe(true)
    type('\u0003')
    await answers
    expect(stdin.isRaw).toBe(false)
  })
})
