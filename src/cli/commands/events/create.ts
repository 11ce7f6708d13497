import { wordOrInput } from '../../terminal/input/text.js'
import { command, type Context } from '../../command.js'
import { attachedPaths, callWithFiles } from './files/attach.js'
import { readObject } from '../../terminal/input/jsonObject.js'
import { textOf } from '../../client/answer.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { list, text } from '../../framework/option.js'
import { eventOf } from './eventText.js'
import { eventFields, fieldsOf } from './fields.js'
import { missingFields } from './missingFields.js'
import { assertTypesKnown } from './types.js'

/** `coffer events create`. */
export const create = command({
  path: ['events', 'create'],
  summary: 'Create an event',
  description:
    'The event is given by options, by a JSON object as in the API, or by both; options override the object. Prints the id.\n\nWithout --time the event happens now. Files are copied into the node; media types follow from the file names.',
  arguments: { event: text('Event as a JSON object, or - for stdin', { stdin: 'dash' }) },
  options: {
    ...eventFields,
    attach: list('File to attach', { placeholder: 'file', completes: 'file' }),
    ...actingAs,
  },
  examples: [
    { type: 'coffer events create --stream weight --type mass/kg --content 62.5', description: 'record a number' },
    { type: `coffer events create --stream diary --type note/txt --content 'Slept well' --time yesterday`, description: 'record a text' },
    {
      type: 'coffer events create --stream photos --type picture/attached --attach holiday.jpg',
      description: 'attach a picture',
    },
    { type: 'coffer events create - < event.json', description: 'create an event from a file' },
  ],
  json: '{"event":{…}}',
  offline: true,
  async run(context, { event, user, access, attach, ...given }) {
    const { out, connect, terminal } = context
    const base = event === undefined ? {} : readObject('[event]', await wordOrInput(terminal, event, 'the event'))
    const type = given.type ?? (typeof base['type'] === 'string' ? base['type'] : undefined)
    const isPlaced = given.stream.length > 0 || 'streamIds' in base || 'streamId' in base
    const fields = type === undefined ? {} : fieldsOf(given, type)
    // --stream replaces the streams of the object, in either form.
    if ('streamIds' in fields) delete base['streamId']
    const files = attachedPaths(attach)
    const client = await connect()
    const as = await authorityOf(client, { user, access })
    if (type === undefined || !isPlaced) throw await missingFields(context, client, as, { stream: !isPlaced, type: type === undefined })
    await assertTypesKnown(client, as, given.type === undefined ? [] : [given.type], ownTypeStep(context, given.type))
    const answer = await callWithFiles(context, client, { method: 'events.create', params: { ...base, ...fields }, as, files, undone: 'No event was created' })
    const id = textOf(eventOf(answer)['id'])
    await out.result(answer, {
      id,
      print: async () => {
        out.done('Event created. Its id:')
        await out.line(id)
      },
    })
  },
})

/** Returns the step for a type of the person's own that resembles another. */
const ownTypeStep = ({ commandFor }: Context, type: string | undefined): string =>
  `For a type of your own, pass the event as JSON: ${commandFor('events', 'create', JSON.stringify({ type }), '--stream', '<id>')}`
