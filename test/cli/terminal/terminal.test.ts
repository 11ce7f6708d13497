import { describe, expect, it } from 'vitest'
import { mayColour } from '../../../src/cli/terminal/terminal.js'
import { screen } from '../support/testTerminal.js'

describe('colour', () => {
  it.each([
    ['a terminal', true, {}, undefined, true],
    ['a pipe', false, {}, undefined, false],
    ['NO_COLOR', true, { NO_COLOR: '1' }, undefined, false],
    ['an empty NO_COLOR', true, { NO_COLOR: '' }, undefined, true],
    ['--no-color', true, {}, false, false],
    ['TERM=dumb', true, { TERM: 'dumb' }, undefined, false],
    ['FORCE_COLOR in a pipe', false, { FORCE_COLOR: '1' }, undefined, true],
    ['FORCE_COLOR=0 on a terminal', true, { FORCE_COLOR: '0' }, undefined, false],
    ['NO_COLOR beside FORCE_COLOR', true, { NO_COLOR: '1', FORCE_COLOR: '1' }, undefined, false],
    ['--no-color beside FORCE_COLOR', true, { FORCE_COLOR: '1' }, false, false],
  ])('%s', (_, isTerminal, env, color, expected) => {
    expect(mayColour(isTerminal, { env, ...(color === undefined ? {} : { color }) })).toBe(expected)
  })
})

describe('questions', () => {
  it.each([
    ['someone sits there', { stdin: true, stderr: true }, true, true],
    ['only stdout is piped', { stdin: true, stderr: true, stdout: false }, true, true],
    ['stdin is a pipe', { stderr: true }, true, false],
    ['stderr is a file', { stdin: true }, true, false],
    ['--no-input', { stdin: true, stderr: true }, false, false],
  ])('%s', (_, tty, input, expected) => expect(screen(tty).terminal({ input }).mayAsk).toBe(expected))
})

describe('screens', () => {
  it.each([
    ['a terminal', {}, true],
    ['a build machine', { CI: 'true' }, false],
    ['a build machine that names no value', { CI: '' }, false],
    ['a machine that says it is none', { CI: 'false', CONTINUOUS_INTEGRATION: '0' }, true],
    ['a terminal that cannot move its cursor', { TERM: 'dumb' }, false],
  ])('%s', (_, env, expected) => {
    const shown = screen({ stdin: true, stdout: true, stderr: true })
    Object.assign(shown.streams.stdin, { setRawMode: () => undefined })
    expect(shown.terminal({ env }).mayShowScreens).toBe(expected)
  })
})

describe('stdout', () => {
  it.each([
    ['EPIPE', [0]],
    ['ENOSPC', [75]],
    ['EIO', [1]],
  ])('%s ends the process with %j', (code, left) => {
    const shown = screen()
    shown.terminal()
    shown.streams.stdout.emit('error', Object.assign(new Error('write'), { code }))
    expect(shown.left).toEqual(left)
    expect(shown.err() === '').toBe(code === 'EPIPE')
  })

  it('reads all of stdin, characters cut apart', async () => {
    const shown = screen()
    const bytes = Buffer.from('für')
    shown.streams.stdin.write(bytes.subarray(0, 2))
    shown.streams.stdin.end(bytes.subarray(2))
    expect(await shown.terminal().readAll()).toBe('für')
  })
})
