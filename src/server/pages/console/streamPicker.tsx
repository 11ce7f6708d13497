/** @jsxImportSource hono/jsx */
/**
 * Fields that choose streams in a form. A long list is shortened; a search field in the same form finds the others, also without
 * scripts: its button submits the form, and the page renders it again with what was typed (`isSearching`).
 */
import { create } from '../../api/streams/create.js'
import type { OwnVisit } from '../page.js'
import { readAsOwner } from '../session.js'
import { loadStreams, streamSearch, type ListedStream, type StreamList } from './streams.js'
import { consoleWords } from './words.js'

/** Maximum number of streams that a list offers at once. */
const MAX_OFFERED = 100
/** Maximum number of streams read from a form. */
const MAX_CHOSEN = 1000
const MAX_FIND = 200
const MAX_NAME = 200

interface StreamPickerProps {
  visit: OwnVisit
  streams: StreamList
  /** Name of the fields. */
  name: string
  legend: string
  selected: readonly string[]
  /** True to choose several streams; one by default. */
  isMultiple?: boolean
  /** Text searched for in the paths of streams. */
  find?: string
  /** Offers a field for the name of a new stream, with this text. */
  newStream?: string
}

export function StreamPicker({ visit, streams, name, legend, selected, isMultiple = false, find = '', newStream }: StreamPickerProps) {
  const words = consoleWords[visit.language].streamPicker
  const { offered, isShortened } = offeredStreams(streams, selected, find)
  return (
    <fieldset class="picker">
      <legend>{legend}</legend>
      {isShortened || find !== '' ? (
        <p class="bar">
          <span class="grow">
            <label for={`${name}-find`}>{words.find}</label>
            <input id={`${name}-find`} type="search" name="find" value={find} maxlength={MAX_FIND} dir="auto" />
          </span>
          <button class="second small" name="search" value="1" formnovalidate>
            {words.search}
          </button>
        </p>
      ) : null}
      <ul class="plain choices">
        {offered.map(({ id, path }) => (
          <li>
            <label class="choice">
              <input type={isMultiple ? 'checkbox' : 'radio'} name={name} value={id} checked={selected.includes(id)} />
              <span dir="auto">{path}</span>
            </label>
          </li>
        ))}
      </ul>
      {offered.length > 0 || (newStream !== undefined && find === '') ? null : <p class="soft">{words.none}</p>}
      {isShortened ? <p class="small soft">{words.shortened(offered.length, streams.ordered.length)}</p> : null}
      {newStream === undefined ? null : (
        <p>
          <label for="new-stream">{streams.ordered.length === 0 ? words.firstStream : words.newStream}</label>
          <input id="new-stream" name="newStream" value={newStream} maxlength={MAX_NAME} autocomplete="off" dir="auto" />
        </p>
      )}
    </fieldset>
  )
}

/** Returns the selected streams, then those that match the search, up to the limit. */
function offeredStreams({ ordered, byId }: StreamList, selected: readonly string[], find: string): { offered: ListedStream[]; isShortened: boolean } {
  const chosen = [...new Set(selected)].flatMap((id) => byId.get(id) ?? [])
  const isFound = streamSearch(find.slice(0, MAX_FIND))
  const rest = ordered.filter((stream) => !selected.includes(stream.id) && isFound(stream))
  const offered = [...chosen, ...rest.slice(0, MAX_OFFERED)]
  return { offered, isShortened: rest.length > MAX_OFFERED }
}

/** Returns the streams that a form chose, without repetitions. */
export const chosenStreams = (form: URLSearchParams, name: string): string[] => [...new Set(form.getAll(name))].slice(0, MAX_CHOSEN)

/** Returns the name of the new stream in a form; empty for none. */
export const newStreamIn = (form: URLSearchParams): string => (form.get('newStream') ?? '').slice(0, MAX_NAME).trim()

/**
 * Returns the streams that a form chose, and the new one that it names, which it creates at the top unless there is one.
 * @throws Failure of streams.create
 */
export async function chosenOrCreated(visit: OwnVisit, form: URLSearchParams, name: string): Promise<string[]> {
  const chosen = chosenStreams(form, name)
  const wanted = newStreamIn(form)
  if (wanted === '') return chosen
  const known = (await loadStreams(visit)).ordered.find((stream) => stream.parentId === null && stream.name === wanted)
  if (known !== undefined) return [...new Set([...chosen, known.id])]
  const { stream } = (await readAsOwner(visit, visit.session, create, { name: wanted })) as { stream: { id: string } }
  return [...chosen, stream.id]
}

/** Checks whether a form was submitted by the search of a picker: the page renders it again with `find`. */
export const isSearching = (form: URLSearchParams): boolean => form.has('search')
