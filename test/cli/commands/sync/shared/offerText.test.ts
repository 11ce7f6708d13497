/** Tests of the text of a pairing offer on terminals of several sizes, and in a pipe. */
import { describe, expect, it } from 'vitest'
import { writeOfferText } from '../../../../../src/cli/commands/sync/shared/offerText.js'
import { outputTo } from '../../../../../src/cli/terminal/output/out.js'
import type { Context } from '../../../../../src/cli/command.js'
import { screen } from '../../../support/testTerminal.js'

const ADDRESS = 'http://192.168.178.20:3000/'
const LINK = `coffer:pair/${'x'.repeat(68)}@${ADDRESS}`
const options = { user: 'ana-lovelace', share: false, qr: false, noWait: false, isScreen: true }

async function write(size: { columns: number; rows: number } | undefined, more: Partial<typeof options> = {}, isLocal = false): Promise<{ isPrinted: boolean; out: string; err: string }> {
  const isTerminal = size !== undefined
  const shown = screen({ stdin: isTerminal, stdout: isTerminal, stderr: isTerminal, columns: size?.columns ?? 80 })
  Object.assign(shown.streams.stdout, { rows: size?.rows })
  const terminal = shown.terminal({ color: false })
  const context = { terminal, out: outputTo(terminal, { json: false, quiet: false }) } as Context
  const answer = { link: LINK, address: ADDRESS, isLocal, isExposed: false, pairing: { id: 'p', user: 'ana-lovelace', state: 'offered' as const } }
  const isPrinted = await writeOfferText(context, answer, { ...options, ...more })
  return { isPrinted, out: shown.out(), err: shown.err() }
}

describe('the text of an offer', () => {
  it('has the link last and in quotes, so that copied line breaks are within it', async () => {
    expect((await write({ columns: 80, rows: 24 })).out).toBe(`coffer sync accept --user ana-lovelace --create '${LINK}'\n`)
    expect((await write({ columns: 80, rows: 24 }, { share: true })).out).toBe(`coffer sync accept '${LINK}'\n`)
  })

  it('leaves room for the words at 80 × 24, and has the QR code above the rest where all of it fits', async () => {
    const small = await write({ columns: 80, rows: 24 }, {}, true)
    expect([small.isPrinted, small.out.split('\n').length]).toEqual([false, 2])
    expect(small.err).toContain('! http://192.168.178.20:3000/ is only reachable from this machine.\n')
    expect(small.err).not.toContain('QR code')

    const large = await write({ columns: 120, rows: 40 }, {}, true)
    expect(large.isPrinted).toBe(true)
    const lines = large.out.trimEnd().split('\n')
    expect(lines.at(-1)).toContain('coffer sync accept')
    expect(lines[0]).toMatch(/^ {2}[█▀▄ ]+$/)
    expect(large.err).toContain('a camera app shows it as text')
    expect(lines.length + large.err.split('\n').length + 6).toBeLessThanOrEqual(40)
  })

  it('prints the QR code on request where no screen shows it', async () => {
    expect(await write({ columns: 80, rows: 24 }, { qr: true })).toMatchObject({ isPrinted: false })
    const below = await write({ columns: 80, rows: 24 }, { qr: true, isScreen: false })
    expect([below.isPrinted, below.out.split('\n').at(-2)]).toEqual([true, expect.stringMatching(/^ {2}[█▀▄ ]+$/)])
    const narrow = await write({ columns: 40, rows: 24 }, { qr: true, isScreen: false })
    expect([narrow.isPrinted, narrow.err]).toEqual([false, expect.stringContaining('The QR code needs a terminal of 45 columns and 24 lines.')])
    expect((await write(undefined, { qr: true, isScreen: false })).out.split('\n').length).toBeGreaterThan(20)
    expect((await write(undefined, { isScreen: false })).out.split('\n').length).toBe(2)
  })

  it('warns without a comparison of words', async () => {
    expect((await write(undefined, { noWait: true, isScreen: false })).err).toContain('Anyone who has it can pair: keep it secret.')
  })
})
