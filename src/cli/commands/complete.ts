import { command, type Context } from '../command.js'
import { backupsIn, namesOf, nodesIn } from '../client/knownNames.js'
import { runningNode } from '../client/connect.js'
import { accountChoice } from '../client/defaultAccount.js'
import { typedFolder } from '../client/homeChecks.js'
import { targetNamed } from '../client/nodeTarget.js'
import type { Names } from '../framework/nameKind.js'
import { choice, list } from '../framework/option.js'
import { pathsOf } from '../framework/paths.js'
import { oneLine } from '../terminal/output/text.js'

/** Time limit in milliseconds: a person waits for the answer after pressing tab. */
const TIMEOUT_MS = 150

const KINDS = ['user', 'stream', 'access', 'client', 'peer', 'backup', 'webhook', 'event', 'series', 'delegate', 'managed', 'node', 'session', 'consent', 'request', 'app', 'invitation'] as const satisfies readonly Names[]

/** `coffer __complete <kind> -- <words>`, called by completion scripts; it fails silently. */
export const complete = command({
  path: ['__complete'],
  summary: 'Print the names known to a node, for shell completion',
  arguments: {
    kind: choice(KINDS, 'Kind of names', { required: true }),
    typed: list('Words typed before the word to complete'),
  },
  hidden: true,
  reach: 'none',
  offline: true,
  async run(context, { kind, typed }) {
    // Errors are dropped: the command line being typed is no place to print them.
    const words = await withTimeout(TIMEOUT_MS, candidatesFor(context, kind, typed)).catch(() => [])
    // A shell inserts the candidates as they are, so names that need quoting are left out.
    const candidates = words.filter((word) => oneLine(word) === word)
    if (candidates.length > 0) await context.terminal.write(`${candidates.join('\n')}\n`)
  },
})

async function candidatesFor({ env, paths, flags }: Context, kind: Names, typed: readonly string[]): Promise<string[]> {
  const valueOf = (option: string): string | undefined => {
    const last = typed.findLast((word, at) => typed[at - 1] === option || word.startsWith(`${option}=`))
    return last?.startsWith(`${option}=`) === true ? last.slice(option.length + 1) : last
  }
  const folderOf = (option: string): string | undefined => {
    const word = valueOf(option)
    return word === undefined ? undefined : typedFolder(word, env)
  }
  const [home, config] = [folderOf('--home'), folderOf('--config')]
  const options = { env, ...(home === undefined ? {} : { home }), ...(config === undefined ? {} : { config }) }
  const places = home === undefined && config === undefined && flags.home !== undefined ? paths : pathsOf(options)
  if (kind === 'node') return nodesIn(env)
  if (kind === 'backup') {
    const { loadConfig } = await import('../../server/config/config.js')
    const folder = folderOf('--to') ?? loadConfig({ file: places.config, env }).get('backup.to')
    return folder === null ? [] : backupsIn(folder)
  }
  // A remote node answers too slowly for completion.
  const node = valueOf('--node')
  const target = { ...(node === undefined ? flags : { node }), ...(home === undefined ? {} : { home }), ...(config === undefined ? {} : { config }) }
  if (targetNamed(target, env) !== undefined) return []
  const running = await runningNode(places, TIMEOUT_MS)
  if (running === undefined) return []
  const client = { ...running, choice: accountChoice({ env, paths: places }, () => undefined) }
  try {
    return await namesOf(client, kind, valueOf('--user'))
  } finally {
    await client.close()
  }
}

function withTimeout<T>(ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('too slow')), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
