/** Tests of `coffer status --watch`: its lines as text, its keys, and its screen drawn by ink on stub streams. */
import { describe, expect, it } from 'vitest'
import { clock } from '../../../src/cli/terminal/output/format.js'
import { typedClient } from '../../../src/cli/client/nodeClient.js'
import { wordsOf } from '../../../src/cli/screens/line.js'
import { boardLines } from '../../../src/cli/screens/status/board.js'
import { detailLines, keyLines } from '../../../src/cli/screens/status/details.js'
import { needsOf } from '../../../src/cli/screens/status/needs.js'
import { shared, windowOf } from '../../../src/cli/screens/status/panel.js'
import type { Peer } from '../../../src/cli/commands/sync/shared/peer.js'
import { peerName, type StatusSnapshot, type User } from '../../../src/cli/screens/status/snapshot.js'
import { selectionOf, firstWatchState, pressed, settled } from '../../../src/cli/screens/status/state.js'
import type { WatchState } from '../../../src/cli/screens/status/state.js'
import { watchStatus } from '../../../src/cli/screens/status/watchStatus.js'
import { createRequestStats } from '../../../src/server/base/requestStats.js'
import type { LogEntry } from '../../../src/server/base/log.js'
import { coffer, screen } from '../support/testTerminal.js'
import { drawnTerminal, widest, type Drawn } from '../support/drawn.js'

const NOW = 1_800_000_000
const status: StatusSnapshot['status'] = {
  url: 'https://ana.example.org/',
  version: '0.4.0',
  state: 'writable',
  memoryBytes: 148e6,
  uptimeSeconds: 7200,
  disk: { storeBytes: 7e8, freeBytes: 312e9 },
  lastMinute: { calls: 1214, failed: 0, refused: 2, p50: 3.2, p99: 18 },
  peers: [],
}
const user = (username: string): User => ({
  ...{ username, id: username, unnamed: false, formerUsernames: [], email: null, emails: [], language: null, mfa: null, created: NOW - 9000 },
  ...{ lastUsed: NOW - 120, accesses: 3, streams: 12, storageUsed: { dbDocuments: 0, attachedFiles: 0 }, auditSince: null, relocated: null },
  apiEndpoint: `https://${username}.example.org/`,
})
const peer = (one: Pick<Peer, 'id' | 'name' | 'state' | 'behind' | 'ahead' | 'lastContact'> & Partial<Peer>): Peer => ({
  ...{ user: 'ana-lovelace', scope: 'mirror', filesPending: 0, filesPendingCount: 0, filesMissing: 0, filesMissingBytes: 0 },
  ...{ filesPendingThere: 0, filesMissingThere: 0, received: 0, sent: 0, refused: 0, putAside: 0, paused: false, every: null },
  ...{ node: 'k', address: null, paired: NOW - 9000 },
  ...one,
})
const quiet: StatusSnapshot = { status, users: [user('ana-lovelace')], requests: [], attention: {} }
const peers = [
  peer({ id: 'p1', name: 'laptop', state: 'in-sync', behind: 0, ahead: 4, lastContact: NOW - 12, refused: 2 }),
  peer({ id: 'p2', name: 'nas', state: 'refused', behind: null, ahead: null, lastContact: NOW - 540, reason: 'clock 9 min ahead' }),
]
const busy: StatusSnapshot = {
  status: { ...status, peers },
  users: ['ana-lovelace', 'ben-hopper', 'clinic-weber'].map(user),
  requests: [
    { key: 'k7f2abcdefgh', requestingAppId: 'heart-watch', deviceName: null, status: 'NEED_SIGNIN', created: NOW, expires: NOW + 600, requestedPermissions: [] },
  ],
  attention: {
    stoppedWebhooks: [{ user: 'ana-lovelace', id: 'w1', host: 'hook.lab', failed: 6, since: NOW - 3600 }],
    repaired: [{ user: 'ana-lovelace', names: 2, places: 0 }],
  },
}
const words = (seen: StatusSnapshot, state: Partial<WatchState>, columns: number, rows: number): string[] =>
  boardLines(seen, { ...firstWatchState, ...state }, NOW, { columns, rows }).map((each) => wordsOf(each).trimEnd())

describe('the board of status --watch', () => {
  it('shows the node, its last minute, the disk and accounts', () => {
    expect(words(quiet, {}, 96, 40)).toEqual([
      `coffer  https://ana.example.org/${' '.repeat(38)}up 2 h   ${clock(NOW)}   q quit`,
      '━ node ━━━━━━━━━━━━━━━━  ━ last minute ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━  ━ disk ━━━━━━━━━━━━━━━━',
      'healthy                  1,214 calls  p50 3.2  p99 18 ms                 312 GB free',
      '0.4.0  148 MB            0 failed  2 refused                             store 700 MB',
      `─ accounts ${'─'.repeat(85)}`,
      '  ana-lovelace  12 streams  3 accesses  2 min ago',
      `─ needs attention ${'─'.repeat(78)}`,
      '  nothing',
      'tab panel   ⏎ details   r retry   p pause sync   l logs   ? keys',
    ])
  })

  it('shows peers next to accounts, and items that need attention', () => {
    const lines = words(busy, { panel: 'needs', rows: { ...firstWatchState.rows, needs: 1 } }, 100, 40)
    const from = lines.findIndex((line) => line.includes('─ peers'))
    expect(lines[from]).toMatch(/^─ accounts ─+ {2}─ peers ─+$/)
    expect(lines[from + 1]).toMatch(/^ {2}ana-lovelace .* laptop {2}✔ in sync +12 s ago +↓ 0 +↑ 4$/)
    expect(lines[from + 2]).toMatch(/^ {2}ben-hopper .* nas +✖ refused +9 min ago$/)
    expect(lines.slice(from + 5, -1).map((line) => line.split(/ {2,}/))).toEqual([
      ['', 'Sync refused', 'nas', 'clock 9 min ahead'],
      ['❯ App requests access', 'heart-watch', 'coffer requests show k7f2ab'],
      ['', 'Webhook stopped', 'hook.lab of ana-lovelace', `failed 6 times since ${clock(NOW - 3600).slice(0, 5)}`],
      ['', '2 names changed by sync', 'ana-lovelace', 'coffer sync conflicts'],
      ['', '2 items refused', 'from laptop', 'coffer sync conflicts'],
    ])
  })

  it.each([
    ['full' as const, 'Disk is full'],
    ['read-only' as const, 'Disk has failed'],
  ])('lists a %s store first, after a missing answer of the node', (state, what) => {
    const attention = { ...busy.attention, damage: { found: 12, at: NOW - 240 } }
    const needs = needsOf({ ...busy, attention, status: { ...busy.status, state }, problem: 'no answer' }, NOW)
    expect(needs.slice(0, 3)).toMatchObject([
      { what: 'No answer', about: 'no answer' },
      { what },
      { what: 'Store is damaged', which: '12 problems, 4 min ago', next: ['store', 'check'] },
    ])
  })

  it.each([
    [20, 6],
    [38, 23],
    [60, 10],
    [78, 12],
    [78, 23],
    [120, 50],
  ])('is never wider than %d columns, nor longer than %d lines', (columns, rows) => {
    const many = { ...busy, users: Array.from({ length: 300 }, (_, n) => user(`account-${n}`)) }
    for (const seen of [quiet, busy, many]) {
      for (const panel of ['node', 'accounts', 'needs'] as const) {
        const lines = words(seen, { panel, rows: { ...firstWatchState.rows, accounts: 150 }, notice: 'something' }, columns, rows)
        expect(lines.length).toBeLessThanOrEqual(rows)
        expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(columns)
        if (panel === 'accounts' && seen === many && rows >= 12) expect(lines.some((line) => line.startsWith('❯ account-150'))).toBe(true)
      }
    }
  })

  it('adds the account to peers of one name', () => {
    const twins = peers.flatMap((one, at) => (at === 0 ? [one, { ...one, user: 'ben-hopper' }] : [one]))
    expect(twins.map((peer) => peerName(peer, twins))).toEqual(['laptop of ana-lovelace', 'laptop of ben-hopper', 'nas'])
  })

  it('distributes its rows, and scrolls longer lists', () => {
    expect(shared(10, [2, 30, 1])).toEqual([2, 7, 1])
    expect(shared(0, [2, 3])).toEqual([0, 0])
    expect(windowOf(3, 3, 0)).toEqual({ from: 0, to: 3, left: 0 })
    expect(windowOf(100, 5, 0)).toEqual({ from: 0, to: 4, left: 96 })
    expect(windowOf(100, 5, 99)).toEqual({ from: 96, to: 100, left: 96 })
  })
})

describe('the keys of status --watch', () => {
  const at = (panel: WatchState['panel'], row = 0): WatchState => ({ ...firstWatchState, panel, rows: { ...firstWatchState.rows, [panel]: row } })
  const press = (state: WatchState, input: string, key = {}, seen = busy): ReturnType<typeof pressed> => pressed(seen, state, input, key, NOW)
  const name = 'nas'

  it.each([
    ['q', at('node'), 'q', {}, { do: 'quit', code: 0 }],
    ['Ctrl-C', at('node'), 'c', { ctrl: true }, { do: 'quit', code: 130 }],
    ['r on the node', at('node'), 'r', {}, { do: 'refresh' }],
    ['r on an account', at('accounts'), 'r', {}, { do: 'refresh' }],
    ['r on a peer', at('peers', 1), 'r', {}, { do: 'sync', user: 'ana-lovelace', peer: 'p2', name }],
    ['r on a peer that needs attention', at('needs', 0), 'r', {}, { do: 'sync', user: 'ana-lovelace', peer: 'p2', name }],
    ['r on a webhook', at('needs', 2), 'r', {}, { do: 'activate', user: 'ana-lovelace', id: 'w1', name: 'hook.lab' }],
    ['p on the node', at('node'), 'p', {}, { do: 'pause', name: 'all peers' }],
    ['p on a peer', at('peers', 1), 'p', {}, { do: 'pause', user: 'ana-lovelace', peer: 'p2', name }],
    ['p on a peer that needs attention', at('needs', 0), 'p', {}, { do: 'pause', user: 'ana-lovelace', peer: 'p2', name }],
    ['any other letter', at('node'), 'x', {}, undefined],
  ])('trigger an action: %s', (_, state, input, key, command) => expect(press(state, input, key).command).toEqual(command))

  it('resume paused peers', () => {
    const paused = { ...busy, status: { ...status, peers: peers.map((peer) => ({ ...peer, paused: true })) } }
    expect(press(at('node'), 'p', {}, paused).command).toEqual({ do: 'resume', name: 'all peers' })
    expect(press(at('peers', 1), 'p', {}, paused).command).toMatchObject({ do: 'resume', peer: 'p2' })
    expect(press(at('node'), 'p', {}, quiet)).toMatchObject({ state: { notice: expect.stringContaining('coffer sync pair') } })
  })

  it('cycle through the visible panels, and move through the rows of one', () => {
    const cycle = (seen: StatusSnapshot, shift: boolean): string[] => {
      let state = firstWatchState
      return Array.from({ length: 4 }, () => (state = press(state, '', { tab: true, shift }, seen).state).panel)
    }
    expect(cycle(busy, false)).toEqual(['accounts', 'peers', 'needs', 'node'])
    expect(cycle(quiet, true)).toEqual(['needs', 'accounts', 'node', 'needs'])
    let state = at('accounts')
    for (const key of [{ upArrow: true }, { downArrow: true }, { downArrow: true }, { downArrow: true }]) state = press(state, '', key).state
    expect(state.rows.accounts).toBe(2)
    expect(settled(quiet, state, NOW).rows.accounts).toBe(0)
  })

  it('open and close details, the log and the keys', () => {
    const views = (keys: [string, object][]): string => keys.reduce((state, [input, key]) => press(state, input, key).state, firstWatchState).view
    expect(views([['', { return: true }]])).toBe('details')
    expect(views([['', { return: true }], ['', { escape: true }]])).toBe('board')
    expect(views([['l', {}]])).toBe('logs')
    expect(views([['?', {}], ['?', {}]])).toBe('board')
    expect(views([['', { return: true }], ['', { tab: true }]])).toBe('board')
  })
})

describe('the details of status --watch', () => {
  const around = { place: '/home/ana/coffer', commandFor: (...args: string[]) => `coffer ${args.join(' ')}` }
  const details = (panel: WatchState['panel'], row: number, columns = 78): string[] => {
    const chosen = selectionOf(busy, { panel, rows: { ...firstWatchState.rows, [panel]: row } }, NOW)
    return detailLines(busy, chosen, around, NOW, { columns, rows: 23 }).map(wordsOf)
  }

  it.each([
    ['node', 0, ['Location      /home/ana/coffer', 'Memory        148 MB']],
    ['accounts', 1, ['━ account ben-hopper', 'Second factor none', 'coffer accesses list --user ben-hopper']],
    ['peers', 1, ['━ peer nas', 'State         refused: clock 9 min ahead', 'r syncs now, p pauses it']],
    ['needs', 2, ['━ Webhook stopped', 'Reason        failed 6 times', 'coffer webhooks activate w1 --user ana-lovelace']],
    ['needs', 1, ['coffer requests show k7f2ab']],
  ] as const)('of %s %d show its state and the next command', (panel, row, parts) => {
    const text = details(panel, row).join('\n')
    for (const part of parts) expect(text).toContain(part)
  })

  it('fit into 38 columns', () => {
    const all = [...details('node', 0, 38), ...details('peers', 1, 38), ...keyLines(38).map(wordsOf)]
    for (const line of all) if (!line.startsWith('coffer ')) expect([...line].length).toBeLessThanOrEqual(38)
  })
})

describe('the screen of status --watch', () => {
  interface Watching extends Drawn {
    ended: Promise<0 | 130>
    calls: Array<[string, unknown]>
    answers: Record<string, object>
  }

  function watching({ columns = 100, rows = 40, color = false, seen = quiet } = {}): Watching {
    const drawn = drawnTerminal(columns, rows)
    const calls: Watching['calls'] = []
    const answers: Watching['answers'] = { 'node.status': seen.status, 'requests.list': { requests: seen.requests }, 'users.list': { users: seen.users }, 'node.attention': seen.attention }
    const call = (method: string, params: unknown): Promise<Record<string, unknown>> => {
      calls.push([method, params])
      const answer = answers[method]
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve({ ...answer })
    }
    const env: Record<string, string> = color ? { FORCE_COLOR: '1' } : {}
    const terminal = { ...screen({}).terminal({ env, color }), streams: drawn.streams }
    const context = { terminal, now: () => NOW, place: '/home/ana/coffer', commandFor: (...args: string[]) => `coffer ${args.join(' ')}` }
    const readLog = async function* (): AsyncGenerator<LogEntry> {
      yield { time: NOW, level: 'warn', message: 'the mail could not be sent', fields: {} }
    }
    return { ...drawn, calls, answers, ended: watchStatus(context, typedClient({ call }), readLog) }
  }

  it('refreshes on r, keeps the previous data when the node does not answer, and quits on q', async () => {
    const { shows, type, answers, ended, stdin, text } = watching()
    await shows('ana-lovelace')
    answers['node.status'] = new Error('the node is gone')
    type('r')
    expect(await shows('the node is gone')).toContain('ana-lovelace')
    expect(stdin.isRaw).toBe(true)
    type('q')
    expect(await ended).toBe(0)
    expect(stdin.isRaw).toBe(false)
    expect(text()).toContain('\u001b[?1049l')
    expect(text()).toContain('\u001b[?25h')
  })

  it('exits 130 on Ctrl-C', async () => {
    const { shows, type, ended, text } = watching()
    expect(await shows('ana-lovelace')).toContain('\u001b[?1049h')
    type('\u0003')
    expect(await ended).toBe(130)
    expect(text()).toContain('\u001b[?1049l')
  })

  it('runs the actions of keys, and shows their results', async () => {
    const { shows, type, calls, answers, ended } = watching({ seen: busy })
    await shows('heart-watch')
    answers['sync.now'] = { peers: [{ state: 'refused', reason: 'clock 9 min ahead' }] }
    // The keys arrive faster than they are read.
    type('\t\t')
    await shows('━ peers')
    type('\u001b[B')
    await shows('❯ nas')
    type('r')
    await shows('! nas: clock 9 min ahead')
    expect(calls).toContainEqual(['sync.now', { username: 'ana-lovelace', peer: 'p2', seconds: 8 }])
    answers['sync.pause'] = new Error('no pausing today')
    type('p')
    await shows('✖ no pausing today')
    type('q')
    await ended
  })

  it('shows the log, the keys and the selected item', async () => {
    const { shows, type, ended } = watching()
    await shows('ana-lovelace')
    type('l')
    await shows('the mail could not be sent')
    type('?')
    await shows('pause or resume')
    type('?')
    await shows('needs attention')
    type('\r')
    await shows('Location      /home/ana/coffer')
    type('q')
    await ended
  })

  it('adapts to the size of the terminal', async () => {
    const { shows, type, resize, ended } = watching({ seen: busy, columns: 80, rows: 24 })
    expect(widest(await shows('? keys'))).toBeLessThanOrEqual(80)
    resize(40, 24)
    const narrow = await shows('q quit')
    await shows('? keys')
    expect(widest(narrow.slice(narrow.lastIndexOf('coffer')))).toBeLessThanOrEqual(40)
    type('q')
    await ended
  })

  it.each([
    [true, true],
    [false, false],
  ])('is styled only with colour: %s', async (color, isStyled) => {
    const { shows, type, ended } = watching({ color })
    const drawn = await shows('? keys')
    if (!isStyled) expect(drawn).not.toMatch(/\u001b\[\d*m/)
    type('q')
    await ended
  })

  it('requires a terminal', async () => {
    const { code, err } = await coffer('status --watch', { env: { COFFER_HOME: '/nowhere' } })
    expect(code).toBe(2)
    expect(err).toContain('--watch needs a terminal')
  })
})

describe('the request statistics of the last minute', () => {
  it('count calls by outcome and duration, and expire', () => {
    let second = 1000
    const minute = createRequestStats(() => second)
    expect(minute.read()).toEqual({ calls: 0, failed: 0, refused: 0, p50: null, p99: null })
    for (let n = 0; n < 98; n++) minute.note(3, 200)
    second += 30
    minute.note(400, 500)
    minute.note(400, 404)
    const { p50, p99, ...counts } = minute.read()
    expect(counts).toEqual({ calls: 100, failed: 1, refused: 1 })
    expect(p50).toBeGreaterThanOrEqual(3)
    expect(p50).toBeLessThan(3 * 1.3)
    expect(p99).toBeGreaterThanOrEqual(400)
    expect(p99).toBeLessThan(400 * 1.3)
    second += 35
    expect(minute.read()).toMatchObject({ calls: 2, failed: 1 })
    second += 60
    expect(minute.read()).toMatchObject({ calls: 0, p50: null })
    minute.note(1e9, 200)
    minute.note(0, 200)
    expect(minute.read()).toMatchObject({ calls: 2, p50: 0.1 })
  })
})
