/** Candidates of a shell for a name, requested by completion scripts with `coffer __complete <kind> -- <words>`. */
import { accountChoice } from '../../client/defaultAccount.js'
import { typedFolder } from '../../client/homeChecks.js'
import { backupsIn, namesOf, nodesIn } from '../../client/knownNames.js'
import { targetNamed } from '../../client/nodeTarget.js'
import { runningNode } from '../../client/runningNode.js'
import type { Names } from '../../framework/nameKind.js'
import { pathsOf, type Environment } from '../../framework/paths.js'
import { oneLine } from '../../terminal/output/text.js'

/** Time limit in milliseconds: a person waits for the answer after pressing tab. */
const TIMEOUT_MS = 150

export const NAME_KINDS = ['user', 'stream', 'access', 'client', 'peer', 'backup', 'webhook', 'event', 'series', 'delegate', 'managed', 'node', 'session', 'consent', 'request', 'app', 'invitation', 'record', 'core'] as const satisfies readonly Names[]

interface CompletionRequest {
  env: Environment
  /** Global options before `__complete`; those among the typed words take precedence. */
  flags?: { home?: string; node?: string; config?: string }
}

/**
 * Returns the names of a kind, as a shell inserts them; none after an error, which the command line being typed is no place for.
 * @param typed words before the word to complete
 */
export async function completionNames(request: CompletionRequest, kind: Names, typed: readonly string[]): Promise<string[]> {
  const words = await withTimeout(TIMEOUT_MS, candidatesFor(request, kind, typed)).catch(() => [])
  // Names that need quoting are left out.
  return words.filter((word) => oneLine(word) === word)
}

async function candidatesFor({ env, flags = {} }: CompletionRequest, kind: Names, typed: readonly string[]): Promise<string[]> {
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
  const places = pathsOf(home === undefined && config === undefined ? { ...flags, env } : options)
  if (kind === 'node') return nodesIn(env)
  if (kind === 'backup') {
    const { loadConfig } = await import('../../../server/config/config.js')
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
