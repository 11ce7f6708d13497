/** Commands that go on until something happens, in this process. */
import { runCommandLine } from '../../../src/cli/program.js'
import { screen } from './testTerminal.js'

export interface Following {
  code: Promise<number>
  out(): string
  err(): string
  /** Resolves once what was printed is as `isThere` says. */
  until(isThere: (out: string) => boolean): Promise<void>
}

/** Starts a command in a home; words are parted by spaces, or given as a list. */
export function following(home: string, line: string | readonly string[]): Following {
  const shown = screen()
  const env = { COFFER_HOME: home, NO_COLOR: '1' }
  const words = typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : line
  return {
    code: runCommandLine(words, { env, terminal: (choices) => shown.terminal({ ...choices, env }) }),
    out: shown.out,
    err: shown.err,
    until: async (isThere) => {
      while (!isThere(shown.out())) await new Promise((wake) => setTimeout(wake, 10))
    },
  }
}

/** Resolves when so many more follow a feed of a node: from then on they miss nothing. */
export function followers(feed: object, count: number): Promise<void> {
  const { follow } = feed as { follow: (...given: unknown[]) => unknown }
  let left = count
  return new Promise((give) => {
    Object.assign(feed, {
      follow: (...given: unknown[]) => {
        left -= 1
        if (left === 0) give()
        return follow.call(feed, ...given)
      },
    })
  })
}
