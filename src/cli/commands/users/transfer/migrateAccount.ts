/** Migrates an account from another server: downloads it into a folder, builds an archive and imports it. */
import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { newId } from '../../../../server/base/ids.js'
import { productVersion } from '../../../../server/base/version.js'
import { processExists } from '../../../../store/engine/lock.js'
import { appProfileId, hasAppProfile, withoutProtected } from '../../../../store/model/profile.js'
import type { Context } from '../../../command.js'
import { CommandError, type ExitCode } from '../../../framework/exit.js'
import { readSecret } from '../../../terminal/input/secret.js'
import { listOf, recordOf, textOf, type Record_ } from '../../../client/answer.js'
import { stateFolder } from '../../../framework/paths.js'
import { downloadedFiles, downloadFile, openState, readEvents, readLate, type DownloadedFile, type State } from './download.js'
import { runImport, writeImportResult } from './importAccount.js'
import { archiveIn, isOwn, storedEvents, buildArchive, type DownloadedAccount } from './buildArchive.js'
import { createRemote, readEndpoint, type Remote } from './pryvClient.js'

interface MigrateOptions {
  from: string | undefined
  fromFile: string | undefined
  as: string | undefined
  email: string | undefined
  passwordStdin: boolean
  passwordFile: string | undefined
  dryRun: boolean
}

const FILE_TRIES = 4

/** Copies an account from another server. The download stays in its folder until the account is created. */
export async function importFrom(context: Context, options: MigrateOptions): Promise<ExitCode | undefined> {
  const { out, terminal } = context
  const endpoint = readEndpoint(await endpointText(context, options))
  const password =
    options.passwordStdin || options.passwordFile !== undefined
      ? await readSecret(terminal, { prompt: 'Password', missing: '--password-stdin', stdin: options.passwordStdin, file: options.passwordFile })
      : undefined
  const client = await context.connect('unlimited')
  const remote = createRemote(endpoint, { note: (text) => out.warn(text) })
  const folder = join(downloadFolder(context), createHash('sha256').update(endpoint.base).digest('hex').slice(0, 16))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const release = await lockFolder(folder)
  try {
    const state = await openState(folder, remote)
    if (state.events > 0) out.note(`Resuming the download from ${endpoint.base}: ${state.events} events already read`)
    const found = await readAll(context, folder, remote, state, options)
    await rm(archiveIn(folder), { recursive: true, force: true })
    await buildArchive(folder, archiveIn(folder), found, { product: productVersion() })
    const { as, email, dryRun } = options
    const answer = await runImport(context, client, { folder: resolve(archiveIn(folder)), as, email, password, dryRun }, undefined)
    if (!dryRun) await rm(folder, { recursive: true, force: true })
    const exit = await writeImportResult(context, answer, { dryRun })
    if (!dryRun && password === undefined) out.note(`To enable login, set a password: ${context.commandFor('users', 'set-password', answer.username)}`)
    return exit
  } finally {
    await release()
  }
}

/** Returns the folder of the download: in the node's home, or in the user's data folder when the node is remote. */
function downloadFolder(context: Context): string {
  const { remote, env } = context
  return join(remote === undefined ? context.paths.home : stateFolder(env), 'moving')
}

async function endpointText({ out, terminal }: Context, { from, fromFile }: MigrateOptions): Promise<string> {
  const source = { prompt: 'API endpoint', missing: '--from or --from-file' }
  if (fromFile !== undefined) return readSecret(terminal, { ...source, file: fromFile })
  if (from === '-') return readSecret(terminal, { ...source, stdin: true })
  out.warn('Other users of this machine may see the token in the process list; next time pass the endpoint with --from - or --from-file.')
  return from ?? ''
}

/** Locks the folder, because two commands on one folder would interfere. */
async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const owner = join(folder, 'owner')
  const pid = Number.parseInt(await readFile(owner, 'utf8').catch(() => ''), 10)
  if (pid > 0 && pid !== process.pid && processExists(pid)) {
    throw new CommandError(`Process ${pid} is already migrating this account.`, { exit: 11, hint: 'Wait for it, or stop it: the download can be resumed later.' })
  }
  await writeFile(owner, `${process.pid}\n`, { mode: 0o600 })
  return () => rm(owner, { force: true })
}

async function readAll(context: Context, folder: string, remote: Remote, state: State, { as, email }: MigrateOptions): Promise<DownloadedAccount> {
  const { out } = context
  const info = await remote.get('access-info')
  const streams = await remote.get('streams', { state: 'all', includeDeletionsSince: '0' })
  const bar = out.progress('reading events')
  bar.advance(state.events)
  await readEvents(folder, remote, state, (count) => bar.advance(count)).finally(() => bar.end())
  const { events: late, deletions } = await readLate(remote, state)
  const files = await readFiles(context, folder, remote, { late, deletions })
  const accountInfo = info['type'] === 'personal' ? recordOf((await remote.get('account'))['account']) : {}
  const now = context.now()
  const username = as ?? textOf(recordOf(info['user'])['username'])
  const address = email ?? textOf(accountInfo['email'])
  const language = textOf(accountInfo['language'])
  return {
    account: { username, id: newId(), created: now, unique: address === '' ? {} : { email: address }, hidden: { appId: 'coffer-cli' } },
    language: language === '' ? undefined : language,
    streams: streams['streams'],
    streamDeletions: listOf(streams['streamDeletions']),
    profiles: await readProfiles(remote, info, now),
    late,
    deletions,
    files,
    // Request an explicit end, because points of the future are not returned by default.
    points: (event) => remote.get(`events/${encodeURIComponent(event)}/series`, { toDeltaTime: '1e12' }),
    now,
  }
}

async function readFiles(
  { out }: Context,
  folder: string,
  remote: Remote,
  read: Pick<DownloadedAccount, 'late' | 'deletions'>,
): Promise<Map<string, DownloadedFile>> {
  const files = await downloadedFiles(folder)
  const bar = out.progress('reading files')
  try {
    for await (const event of storedEvents(folder, read)) {
      const id = textOf(event['id'])
      const streams = Array.isArray(event['streamIds']) ? event['streamIds'].map(String) : []
      if (!streams.every(isOwn)) continue
      for (const file of listOf(event['attachments'])) {
        const name = `${id}/${textOf(file['id'])}`
        if (!files.has(name)) files.set(name, await withRetries(() => downloadFile(folder, remote, id, file)))
        bar.advance()
      }
    }
    return files
  } finally {
    bar.end()
  }
}

/** Retries work after transfer errors. */
async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (error instanceof CommandError || tries === FILE_TRIES) throw error
    }
  }
}

/** Reads the profile sets that the token grants access to. */
async function readProfiles(remote: Remote, info: Record_, now: number): Promise<DownloadedAccount['profiles']> {
  const name = textOf(info['name'])
  const sets: [id: string, path: string][] = [['public', 'profile/public']]
  if (info['type'] === 'personal') sets.push(['private', 'profile/private'])
  if (info['type'] === 'app' && hasAppProfile(name)) sets.push([appProfileId(name), 'profile/app'])
  const found = []
  for (const [id, path] of sets) {
    const keys = recordOf(
      await remote.get(path).then(
        ({ profile }) => profile,
        (error: unknown) => {
          if (error instanceof CommandError && (error.exit === 4 || error.exit === 5)) return {}
          throw error
        },
      ),
    )
    if (Object.keys(keys).length > 0) found.push({ id, keys: id === 'private' ? withoutProtected(keys) : keys, modified: now })
  }
  return found
}
