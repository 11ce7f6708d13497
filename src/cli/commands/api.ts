import { errorMessage } from '../../store/model/errorMessage.js'
import { command } from '../command.js'
import { usageError } from '../framework/exit.js'
import { inputFile, text } from '../framework/option.js'
import { readInput } from '../terminal/input/text.js'
import { actingAs, authorityOf } from '../client/access.js'
import { callAs } from '../client/user.js'

/** `coffer api`. */
export const api = command({
  path: ['api'],
  summary: 'Call any method of the API',
  description:
    'Calls an API method by its id, such as events.get. Acts as the owner of the account given by --user, or as the operator for methods of the node. Parameters are a JSON object, as in a batch call; --input reads them from a file, or from stdin with -.\n\nThe result is always printed as JSON.\n\n"coffer help methods" lists the methods; "coffer help events.get" describes one. coffer-api(7) and the pages it refers to describe all of them. A running node serves the same reference at /web/api, and as OpenAPI at /openapi.json.',
  arguments: {
    method: text('Id of the method', { required: true }),
    params: text('Parameters as JSON, or - for stdin', { stdin: 'dash' }),
  },
  options: { input: inputFile('Read the parameters from a file'), ...actingAs },
  examples: [
    { type: `coffer api events.get '{"limit":1}' --user ana-lovelace`, description: 'get the newest event' },
    { type: `coffer api streams.create '{"id":"diary","name":"Diary"}' --user ana-lovelace`, description: 'create a stream' },
    { type: 'coffer api service.info', description: 'call a method that needs no account' },
  ],
  json: "the method's result object; a failure as {\"error\":{…}} on stderr with exit 1, 4, 5 or 6",
  offline: true,
  async run({ out, connect, terminal }, { method, params, input, user, access }) {
    if (params !== undefined && input !== undefined) throw usageError('Parameters are given twice', 'Use either the argument or --input')
    const file = params === '-' ? '-' : input
    const parsedParams = parseJson(file === undefined ? (params ?? '{}') : await readInput(terminal, file, 'the parameters'))
    const client = await connect()
    const result =
      access === undefined
        ? await callAs(client, method, parsedParams, user)
        : await client.callAny(method, parsedParams, await authorityOf(client, { user, access }))
    await out.document(result)
  },
})

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (error) {
    const why = errorMessage(error)
    throw usageError(`The parameters are not JSON: ${why}`, `Put them in single quotes: coffer api events.get '{"limit":1}'`)
  }
}
