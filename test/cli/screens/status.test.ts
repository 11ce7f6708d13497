/** `coffer status --watch`: its lines as text, and its screen drawn by ink on streams without a screen. */
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../src/cli/output/words.js'
import { statusLines } from '../../../src/cli/screens/status/lines.js'
import type { Seen } from '../../../src/cli/screens/status/lines.js'
import { watchStatus } from '../../../src/cli/screens/status/watchStatus.js'
import { createLastMinute } from '../../../src/server/lastMinute.js'
import { coffer, screen } from '../support.js'

const NOW = 1_800_000_000
const status = {
  url: 'https://ana.example.org/',
  version: '0.4.0',
  state: 'writable',
  memoryBytes: 148e6,
  uptimeSeconds: 7200,
  disk: { storeBytes: 7e8, freeBytes: 312e9 },
  lastMinute: { calls: 1214, failed: 0, refused: 2, p50: 3.2, p99: 18 },
  peers: [],
}
const seen: Seen = { status, users: [{ username: 'ana-lovelace', streams: 12, accesses: 3, lastUsed: NOW - 120 }], requests: [] }

describe('the screen of status --watch', () => {
  it('shows the node, its last minute, the disk and accounts', () => {
    expect(statusLines(seen, NOW, 96)).toEqual([
      `coffer  https://ana.example.org/${' '.repeat(38)}up 2 h   ${clock(NOW)}   q quit`,
      '─ node ────────────────  ─ last minute ────────────────────────────────  ─ disk ────────────────',
      'healthy                  1,214 calls  p50 3.2  p99 18 ms                 312 GB free',
      '0.4.0  148 MB            0 failed  2 refused                             store 700 MB',
      `─ accounts ${'─'.repeat(85)}`,
      'ana-lovelace  12 streams  3 accesses  used 2 min ago',
      `─ needs you ${'─'.repeat(84)}`,
      'nothing',
      'r read again   q quit',
    ])
  })

  it('shows peers, and what needs a person', () => {
    const peers = [{ name: 'nas', user: 'ana-lovelace', state: 'refused', behind: null, ahead: null, lastContact: NOW - 540, reason: 'clock 9 min ahead' }]
    const lines = statusLines({ ...seen, status: { ...status, state: 'full', peers }, requests: [{ requestingAppId: 'heart-watch' }], problem: 'no answer' }, NOW, 100)
    const from = lines.findIndex((line) => line.startsWith('─ peers'))
    expect(lines[from + 1]).toMatch(/^nas +refused .*9 min ago .*clock 9 min ahead/)
    expect(lines.slice(from + 3, -1)).toEqual([
      '✖ no answer',
      'Nothing is written until there is space on the disk again.',
      '1 app asks for access (heart-watch): coffer requests list',
      'nas cannot be synced with: coffer sync status',
    ])
  })

  it.each([40, 60, 80, 120])('is never wider than %d columns', (width) => {
    for (const line of statusLines(seen, NOW, width)) expect([...line].length).toBeLessThanOrEqual(width)
  })

  it('reads again on r, keeps what it knew when the node does not answer, and leaves on q', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin, ref: () => stdin, unref: () => stdin })
    const drawn = Object.assign(new EventEmitter(), { text: '' })
    const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 40 })
    stdout.on('data', (chunk) => {
      drawn.text += String(chunk)
      drawn.emit('drawn')
    })
    const shows = (text: string): Promise<void> =>
      new Promise((found) => {
        const look = (): void => {
          if (drawn.text.includes(text)) found()
        }
        drawn.on('drawn', look)
        look()
      })
    let fails = false
    const answers: Record<string, object> = { 'node.status': status, 'requests.list': { requests: [] }, 'users.list': { users: seen.users } }
    const call = (method: string): Promise<Record<string, unknown>> =>
      fails ? Promise.reject(new Error('the node is gone')) : Promise.resolve({ ...answers[method] })
    const terminal = { ...screen({}).terminal(), streams: { stdin, stdout, stderr: new PassThrough() } }
    const ended = watchStatus({ terminal, now: () => NOW }, { call })
    await shows('ana-lovelace')
    fails = true
    drawn.text = ''
    stdin.write('r')
    await shows('✖ the node is gone')
    expect(drawn.text).toContain('ana-lovelace')
    stdin.write('q')
    await ended
  })

  it('is not drawn in a pipe', async () => {
    const { code, err } = await coffer('status --watch', { env: { COFFER_HOME: '/nowhere' } })
    expect(code).toBe(2)
    expect(err).toContain('--watch needs a terminal')
  })
})

describe('the calls of the last minute', () => {
  it('are counted with how they ended and how long they took, and forgotten', () => {
    let second = 1000
    const minute = createLastMinute(() => second)
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
