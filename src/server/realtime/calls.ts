/** Messages from clients: each is a call of a method by its id, with one parameter and a callback (data supplement 9.3). */
import { Failure, invalidFormat } from '../../store/model/failure.js'
import { accountAsked, callBy, recordRefused } from '../admit.js'
import { asFailure } from '../call.js'
import { answerNamed } from '../callNamed.js'
import { authenticate } from '../guard/authenticate.js'
import { metaOf } from '../meta.js'
import type { Method } from '../method.js'
import type { LoadedAccount } from '../node.js'
import { RawJson } from '../results.js'
import type { Connection } from './connection.js'
import { ownMessages } from './ownMessages.js'

/** What a client waits with: an error, or nothing and a result, as JSON text. */
export type Callback = (error: RawJson | null, result?: RawJson) => void

/** Answers one message. Never rejects. */
export async function answer(
  connection: Connection,
  methods: ReadonlyMap<string, Method>,
  id: string,
  content: readonly unknown[],
  callback: Callback,
): Promise<void> {
  const { node } = connection
  try {
    callback(null, new RawJson(await resultOf(connection, methods, id, content)))
  } catch (error) {
    callback(new RawJson(`{"error":${JSON.stringify(asFailure(node, id, error))},"meta":${metaOf(node)}}`))
  }
}

async function resultOf(
  connection: Connection,
  methods: ReadonlyMap<string, Method>,
  id: string,
  content: readonly unknown[],
): Promise<string> {
  const { node, origin, credentials } = connection
  const method = methods.get(id)
  const loaded = await readmit(connection, method)
  const own = ownMessages.get(id)
  if (own !== undefined) return JSON.stringify(await own(connection, content.length === 0 ? undefined : onlyOne(content)))
  const call = callBy(node, origin, loaded, connection.caller, credentials.callerId)
  const text = await answerNamed(call, id, method, parametersOf(content))
  return `${text.slice(0, -1)}${text === '{}' ? '' : ','}"meta":${metaOf(node)}}`
}

/** Looks at the access again, as for any call; using a personal access extends its session. */
async function readmit(connection: Connection, method: Method | undefined): Promise<LoadedAccount> {
  const { node, asked, origin, credentials } = connection
  const loaded = await accountAsked(node, asked)
  const settling = loaded.account.settledStructure()
  if (settling !== undefined) await settling
  try {
    connection.caller = authenticate(node, loaded, credentials.token)
  } catch (error) {
    if (method !== undefined) recordRefused(node, origin, loaded, method.id, credentials.token, error)
    throw error
  }
  return loaded
}

function onlyOne(content: readonly unknown[]): unknown {
  if (content.length === 1) return content[0]
  throw new Failure('invalid-parameters-format', `Invalid data: one parameter and a callback are expected.`)
}

function parametersOf(content: readonly unknown[]): unknown {
  const params = onlyOne(content)
  if (typeof params === 'object' && params !== null) return params
  throw invalidFormat([{ code: 'INVALID_TYPE', message: 'The parameters are an object or an array.', path: '#/' }])
}
