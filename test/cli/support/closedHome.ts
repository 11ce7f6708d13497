/** A home with accounts and without a running node, for commands that open the store themselves. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { initialise } from '../../../src/server/launch/init.js'
import { placesOf } from '../../support/nodes/node.js'
import { coffer } from './testTerminal.js'

type Given = Parameters<typeof coffer>[1]

export interface TestHome {
  home: string
  /** Runs a command in this home. */
  run(line: string | readonly string[], given?: Given): ReturnType<typeof coffer>
  /** Runs a command with `--json` and returns its document; throws when the command fails. */
  json(line: string | readonly string[], given?: Given): Promise<Record<string, unknown>>
  remove(): Promise<void>
}

/** Creates a home with these accounts. */
export async function testHome(...usernames: string[]): Promise<TestHome> {
  const home = await mkdtemp(join(tmpdir(), 'coffer-cli-'))
  await initialise(placesOf(home))
  const run: TestHome['run'] = (line, given) => coffer(line, { ...given, env: { COFFER_HOME: home, NO_COLOR: '1', ...given?.env } })
  const created: TestHome = {
    home,
    run,
    async json(line, given) {
      const words = typeof line === 'string' ? line.split(' ') : line
      const { code, out, err } = await run([...words, '--json'], given)
      if (code !== 0) throw new Error(`${words.join(' ')} exits ${code}: ${err}`)
      return JSON.parse(out) as Record<string, unknown>
    },
    remove: () => rm(home, { recursive: true, force: true }),
  }
  for (const username of usernames) {
    const given = { stdin: 'correct horse' }
    await created.json(`users create ${username} --email ${username}@example.org --password-stdin`, given)
  }
  return created
}
