/** Runs commands in the background of this process, as those that follow a feed. */
import { runCommandLine } from '../../../src/cli/program.js'
import { screen } from './testTerminal.js'

export interface Following {
  code: Promise<number>
  out(): string
  err(): string
  /** Resolves once `matches` holds for the output. */
  until(matches: (out: string) => boolean): Promise<void>
}

/** Starts a command in a home; `line` is split at spaces, or given as a list of words. */
export function following(home: string, line: string | readonly string[]): Following {
  const shown = screen()
  const env = { COFFER_HOME: home, NO_COLOR: '1' }
  const words = typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : line
  return {
    code: runCommandLine(words, { env, terminal: (choices) => shown.terminal({ ...choices, env }) }),
    out: shown.out,
    err: shown.err,
    until: async (matches) => {
      while (!matches(shown.out())) await new Promise((wake) => setTimeout(wake, 10))
    },
  }
}

/** Resolves once `count` more subscribers follow a feed of a node, so that they miss no later entry. */
export function followers(feed: object, count: number): Promise<void> {
  const { follow } = feed as { follow: (...given: unknown[]) => unknown }
  let remaining = count
  return new Promise((resolve) => {
    Object.assign(feed, {
      follow: (...given: unknown[]) => {
        remaining -= 1
        if (remaining === 0) resolve()
        return follow.call(feed, ...given)
      },
    })
  })
}
