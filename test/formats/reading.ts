/** Reads the content of an account, to compare it with that of the version that wrote it. */
import { createHash } from 'node:crypto'
import { request } from '../support/nodes/node.js'

export const USER = 'ana-lovelace'
export const PASSPHRASE = 'a passphrase of several words'

/** Value that was removed from profile sets, or replaced. */
export const REMOVED = 'xyzzy-removed-from-a-profile-set'

/** Description stored beside the archives of a format. */
export interface StoredFormat {
  /** Token of an access to everything, which does not expire. */
  token: string
  shown: Content
}

export type Content = Record<string, unknown>

/** Returns everything of the account that the access may read. */
export async function readContent(url: string, token: string): Promise<Content> {
  const get = async (path: string): Promise<Record<string, unknown>> => {
    const { status, body } = await request(`${url}${USER}/${path}`, { token })
    if (status !== 200) throw new Error(`${path} is answered ${status}: ${JSON.stringify(body)}`)
    const { meta: _, ...rest } = body
    return rest
  }
  const { events, eventDeletions } = await get('events?state=all&limit=1000&includeDeletions=true&modifiedSince=0&streams=diary&streams=weight')
  const shown: Content = { streams: (await get('streams?state=all'))['streams'], events: withoutTokens(events), eventDeletions }
  for (const id of ['public', 'app']) {
    // A shared access has no set of its own.
    shown[`profile set ${id}`] = (await request(`${url}${USER}/profile/${id}`, { token })).body['profile'] ?? {}
  }
  for (const { id, type, attachments } of events as { id: string; type: string; attachments?: { id: string }[] }[]) {
    shown[`history of ${id}`] = withoutTokens((await get(`events/${id}?includeHistory=true`))['history'])
    if (type.startsWith('series:')) shown[`points of ${id}`] = await get(`events/${id}/series`)
    for (const { id: file } of attachments ?? []) {
      const answer = await fetch(`${url}${USER}/events/${id}/${file}`, { headers: { authorization: token } })
      const bytes = Buffer.from(await answer.arrayBuffer())
      shown[`file ${file} of ${id}`] = createHash('sha256').update(bytes).digest('hex')
    }
  }
  return shown
}

/** Removes read tokens of files, which depend on the key of the node. */
function withoutTokens(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null, (key, each: unknown) => (key === 'readToken' ? undefined : each)))
}
