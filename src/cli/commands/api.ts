import { command } from '../command.js'
import { usageError } from '../framework/exit.js'
import { text } from '../framework/option.js'
import { readInput } from '../terminal/input/text.js'
import { actingAs, authorityOf } from '../client/access.js'
import { jsonDocument } from '../terminal/output/json.js'
import { callAs } from '../client/user.js'

/** `coffer api`. */
export const api = command({
  path: ['api'],
  summary: 'Call any method of the API',
  description:
    'Calls a method by its id, such as events.get, with the authority of the owner of the account given by --user, or of the operator for methods of the node. Parameters are a JSON object, as in a batch call; --input reads them from a file, - from stdin.\n\nThe result is printed as JSON in every case.\n\n"coffer help methods" lists the methods, "coffer help events.get" explains one; coffer-api(7) and the pages it names have them all. A running node shows the same at /web/api, and as OpenAPI at /openapi.json.',
  arguments: {
    method: text('Id of the method', { required: true }),
    params: text('Parameters as JSON, or - for stdin'),
  },
  options: { input: text('Read the parameters from a file, or - for stdin', { placeholder: 'file', completes: 'file' }), ...actingAs },
  examples: [
    { type: `coffer api events.get '{"limit":1}' --user ana-lovelace`, says: 'the newest event' },
    { type: `coffer api streams.create '{"id":"diary","name":"Diary"}' --user ana-lovelace`, says: 'a new stream' },
    { type: 'coffer api service.info', says: 'a method that needs no account' },
  ],
  json: "the method's result object; a failure as {\"error\":{…}} on stderr with exit 1, 4, 5 or 6",
  offline: true,
  async run({ terminal, connect }, { method, params, input, user, access }) {
    if (params !== undefined && input !== undefined) throw usageError('The parameters are given twice', 'Give them as an argument or with --input')
    const file = params === '-' ? '-' : input
    const options = parse(file === undefined ? (params ?? '{}') : await readInput(file))
    const client = await connect()
    const result =
      access === undefined
        ? await callAs(client, method, options, user)
        : await client.call(method, options, await authorityOf(client, { user, access }))
    await terminal.write(jsonDocument(result, terminal.outIsTerminal))
  },
})

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw usageError(`The parameters are not JSON: ${why}`, `Write them in single quotes: coffer api events.get '{"limit":1}'`)
  }
}
