import { describe, expect, it } from 'vitest'
import { mayColour } from '../../../src/cli/terminal/terminal.js'
import { screen } from '../support/testTerminal.js'

describe('the choice of colour', () => {
  it.each([
    ['a terminal', true, {}, undefined, true],
    ['a pipe', false, {}, undefined, false],
    ['NO_COLOR', true, { NO_COLOR: '1' }, undefined, false],
    ['an empty NO_COLOR', true, { NO_COLOR: '' }, undefined, true],
    ['--no-color', true, {}, false, false],
    ['TERM=dumb', true, { TERM: 'dumb' }, undefined, false],
    ['FORCE_COLOR in a pipe', false, { FORCE_COLOR: '1' }, undefined, true],
    ['FORCE_COLOR=0 on a terminal', true, { FORCE_COLOR: '0' }, undefined, false],
    ['NO_COLOR with FORCE_COLOR', true, { NO_COLOR: '1', FORCE_COLOR: '1' }, undefined, false],
    ['--no-color with FORCE_COLOR', true, { FORCE_COLOR: '1' }, false, false],
  ])('considers %s', (_, isTerminal, env, color, expected) => {
    expect(mayColour(isTerminal, { env, ...(color === undefined ? {} : { color }) })).toBe(expected)
  })
})

describe('the permission to prompt', () => {
  it.each([
    ['stdin and stderr are terminals', { stdin: true, stderr: true }, true, true],
    ['only stdout is piped', { stdin: true, stderr: true, stdout: false }, true, true],
    ['stdin is a pipe', { stderr: true }, true, false],
    ['stderr is a file', { stdin: true }, true, false],
    ['--no-input is given', { stdin: true, stderr: true }, false, false],
  ])('is granted or denied when %s', (_, tty, input, expected) => expect(screen(tty).terminal({ input }).mayAsk).toBe(expected))
})

describe('the permission to show screens', () => {
  it.each([
    ['a terminal', {}, true],
    ['a CI machine', { CI: 'true' }, false],
    ['a CI machine with an empty variable', { CI: '' }, false],
    ['a machine with CI=false', { CI: 'false', CONTINUOUS_INTEGRATION: '0' }, true],
    ['a dumb terminal', { TERM: 'dumb' }, false],
  ])('is granted or denied on %s', (_, env, expected) => {
    const shown = screen({ stdin: true, stdout: true, stderr: true })
    Object.assign(shown.streams.stdin, { setRawMode: () => undefined })
    expect(shown.terminal({ env }).mayShowScreens).toBe(expected)
  })
})

describe('the standard streams', () => {
  it.each([
    ['EPIPE', [0]],
    ['ENOSPC', [75]],
    ['EIO', [1]],
  ])('end the process on %s of stdout with %j', (code, exits) => {
    const shown = screen()
    shown.terminal()
    shown.streams.stdout.emit('error', Object.assign(new Error('write'), { code }))
    expect(shown.exits).toEqual(exits)
    expect(shown.err() === '').toBe(code === 'EPIPE')
  })

  it('are read completely, with characters split between chunks', async () => {
    const shown = screen()
    const bytes = Buffer.from('für')
    shown.streams.stdin.write(bytes.subarray(0, 2))
    shown.streams.stdin.end(bytes.subarray(2))
    expect(await shown.terminal().readAll('the text')).toBe('für')
  })
})
