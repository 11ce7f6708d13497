/** Tests of the screen of a pairing: its lines and keys. */
import { describe, expect, it } from 'vitest'
import type { NodeClient } from '../../../src/cli/client/nodeClient.js'
import { wordsOf } from '../../../src/cli/screens/line.js'
import { pairingScreen } from '../../../src/cli/screens/pairing/pairingScreen.js'
import { pairingLines, type PairingView } from '../../../src/cli/screens/pairing/views.js'
import type { PairingUi } from '../../../src/cli/commands/sync/shared/pairingUi.js'
import { fittingQrCode } from '../../../src/cli/terminal/output/qrCode.js'
import { screen } from '../support/testTerminal.js'
import { drawnTerminal, widest, type Drawn } from '../support/drawn.js'

const LINK = `coffer:pair/${'x'.repeat(68)}@http://192.168.178.20:3000/`
const [ENTER_WHOLE, LEAVE_WHOLE] = ['\u001b[?1049h', '\u001b[?1049l']
const NOW = 1_800_000_000
const met = { id: 'x', user: 'ana', state: 'met' as const, peerName: 'phone', words: ['amber', 'canoe', 'violin'] }
const never = new Promise<never>(() => undefined)

function openPairing(columns = 80): { drawn: Drawn; attendant: PairingUi; printed: string[] } {
  const drawn = drawnTerminal(columns, 24)
  const terminal = { ...screen({}).terminal(), streams: drawn.streams }
  return { drawn, attendant: pairingScreen({ terminal, now: () => NOW }), printed: [] }
}

describe('the screen of a pairing', () => {
  it.each([
    [{ is: 'offered', expires: NOW + 581 }, ['Waiting for the other node, 9:41 left   q withdraws the offer']],
    [{ is: 'offered', expires: NOW - 1 }, ['Waiting for the other node, 0:00 left   q withdraws the offer']],
    [{ is: 'offered', expires: NOW + 581, link: 'coffer:pair/x' }, ['Waiting for the other node, 9:41 left   c QR code   q withdraws the offer']],
    [{ is: 'confirming', name: 'phone' }, ['Waiting for phone to confirm …', 'q quit without pairing']],
    [{ is: 'syncing', peer: undefined, filesOf: 0 }, ['Comparing …', 'q quit; the sync continues']],
    [
      { is: 'syncing', peer: { name: 'phone', state: 'syncing', received: 300, behind: 900, sent: 0, ahead: 0, filesPending: 3e6 }, filesOf: 4e6 },
      ['phone  receiving', 'items ↓  ██████░░░░░░░░░░░░░░░░░░  25 %  300 of 1,200', 'files ↓  ██████░░░░░░░░░░░░░░░░░░  25 %  1.0 MB of 4.0 MB', 'q quit; the sync continues'],
    ],
  ] as Array<[PairingView, string[]]>)('draws %j', (view, lines) => {
    expect(pairingLines(view, NOW, { columns: 78, rows: 24 }).map(wordsOf)).toEqual(lines)
    for (const line of pairingLines(view, NOW, { columns: 30, rows: 24 })) expect([...wordsOf(line)].length).toBeLessThanOrEqual(30)
  })

  it('draws the QR code of a link with one row to spare, or says how much room it needs', () => {
    const view = { is: 'offered', expires: NOW + 600, link: LINK, isCodeShown: true } as const
    const lines = pairingLines(view, NOW, { columns: 78, rows: 24 }).map(wordsOf)
    expect(lines.at(-1)).toBe('10:00 left   A camera app shows it as text   c back   q withdraws the offer')
    expect(lines.slice(0, -1)).toEqual(fittingQrCode(LINK, { columns: 78, rows: 22 })?.lines)
    expect(lines.length).toBe(23)
    expect(pairingLines(view, NOW, { columns: 78, rows: 23 }).map(wordsOf)[0]).toBe('The QR code needs a terminal of 45 columns and 24 lines.')
  })

  it('covers the terminal with the QR code by the key c, and uncovers it by the same key or when a node connects', async () => {
    const { drawn, attendant } = openPairing()
    attendant.offered({ expires: NOW + 600, link: LINK })
    await drawn.shows('c QR code')
    for (const [next, shown] of [['key', 'c QR code'], ['node', 'amber']] as const) {
      drawn.type('c')
      const covered = await drawn.shows('c back')
      expect([next, covered]).toEqual([next, expect.stringContaining(ENTER_WHOLE)])
      expect(covered).toContain('▄')
      if (next === 'key') drawn.type('c')
      else void attendant.compare(met, never).catch(() => undefined)
      expect(await drawn.shows(shown)).toContain(LEAVE_WHOLE)
    }
    await attendant.close()
    expect(drawn.stdin.isRaw).toBe(false)
  })

  it('shows the QR code from the start on request', async () => {
    const { drawn, attendant } = openPairing()
    attendant.offered({ expires: NOW + 600, link: LINK, isCodeShown: true })
    expect(await drawn.shows('c back')).toContain(ENTER_WHOLE)
    const waited = attendant.leave.or(never)
    drawn.type('q')
    expect(await waited).toBe('interrupted')
    await attendant.close()
    expect(drawn.text()).toContain(LEAVE_WHOLE)
  })

  it.each([
    ['y', undefined],
    ['Y', undefined],
    ['n', 130],
    ['\r', 130],
    ['q', 130],
    ['\u0003', 130],
  ])('confirms or rejects the words by the key %j', async (key, exit) => {
    const { drawn, attendant } = openPairing()
    attendant.offered({ expires: NOW + 600 })
    await drawn.shows('10:00 left')
    const compared = attendant.compare(met, never).then(
      () => undefined,
      (error: { exit: number }) => error.exit,
    )
    await drawn.shows('amber · canoe · violin')
    drawn.type('x')
    await new Promise(setImmediate)
    drawn.type(key)
    expect(await compared).toBe(exit)
    await attendant.close()
    await attendant.close()
    expect(drawn.stdin.isRaw).toBe(false)
  })

  it('ends when the pairing fails', async () => {
    const { drawn, attendant } = openPairing(40)
    let end: (error: Error) => void = () => undefined
    const compared = attendant.compare(met, new Promise((_, fail) => (end = fail)))
    expect(widest(await drawn.shows('n no, cancel'))).toBeLessThanOrEqual(40)
    end(new Error('The other side said no.'))
    await expect(compared).rejects.toThrow('said no')
    await attendant.close()
  })

  it.each(['q', '\u0003', '\u001b'])('can be quit while waiting, by the key %j', async (key) => {
    const { drawn, attendant } = openPairing()
    attendant.offered({ expires: NOW + 600 })
    await drawn.shows('left')
    expect(await attendant.leave.or(Promise.resolve(7))).toBe(7)
    const waited = attendant.leave.or(never)
    drawn.type(key)
    expect(await waited).toBe('interrupted')
    await attendant.close()
  })

  it('shows the first sync of its peer until both are in sync or it is quit', async () => {
    const { drawn, attendant, printed } = openPairing()
    const out = { note: (text: string) => printed.push(text), done: (text: string) => printed.push(text) } as unknown as Parameters<Awaited<ReturnType<PairingUi['firstSync']>>>[0]
    const peer = { id: 'p1', name: 'phone', state: 'syncing', received: 100, behind: 300, sent: 0, ahead: 0, filesPending: 0 }
    let arrive: (answer: Record<string, unknown>) => void = () => undefined
    const client = {
      async *lines() {
        yield { event: 'status', peer: { ...peer, id: 'p2', name: 'another' } }
        yield { event: 'status', peer }
        await never
      },
      call: () => new Promise((resolve) => (arrive = resolve)),
    } as unknown as NodeClient
    const first = attendant.firstSync(client, { user: 'ana-lovelace', peer: 'p1' })
    expect(await drawn.shows('25 %  100 of 400')).not.toContain('another')
    arrive({ peers: [{ state: 'in-sync' }] })
    ;(await first)(out)
    const second = attendant.firstSync(client, { user: 'ana-lovelace', peer: 'p1' })
    drawn.type('q')
    ;(await second)(out)
    expect(printed).toEqual(['Both nodes are in sync.', 'The sync continues in the background; nothing was lost.'])
    await attendant.close()
  })
})
