/** @jsxImportSource hono/jsx */
/** Tree of streams beside the timeline: a navigation with numbers and latest values. */
import { numberText, valueText } from '../../events/eventValue.js'
import { Form, SearchForm } from '../../layout.js'
import { linkTo } from '../../links.js'
import { dayText } from '../../times.js'
import type { ConsoleVisit } from '../consolePage.js'
import { IconImage } from '../icons.js'
import type { ListedStream, StreamList } from '../streams.js'
import { DATA_PATH, streamLink } from './filters.js'
import { foundStreams, shownTree, type TreeNode } from './streamTree.js'
import type { LoadedSummaries, StreamSummary } from './summaries.js'
import { dataWords } from './words.js'

/** Maximum length of a name searched for. */
const MAX_FIND = 200
/** Number of streams from which on a search field is offered. */
const MIN_SEARCHABLE = 15
/** Maximum length of a latest value in the tree. */
const MAX_VALUE = 40

interface TreeProps {
  visit: ConsoleVisit
  streams: StreamList
  loaded: LoadedSummaries
  chosen: ListedStream | undefined
}

export function StreamNavigation(props: TreeProps) {
  const { visit, streams, chosen } = props
  const words = dataWords[visit.language]
  const find = (visit.query.get('find') ?? '').trim().slice(0, MAX_FIND)
  return (
    <details class="streams" id="streams" data-live="yes">
      <summary>
        <IconImage name="folder" />
        <span dir="auto">{chosen === undefined ? words.streams : chosen.name}</span>
      </summary>
      <nav aria-label={words.streams}>
        <p class="tree-all">
          <a href={streamLink(visit, null)} data-drop="" {...(chosen === undefined ? { 'aria-current': 'page' } : {})}>
            {words.allStreams}
          </a>
        </p>
        {streams.ordered.length < MIN_SEARCHABLE && find === '' ? null : <Search visit={visit} chosen={chosen} find={find} />}
        {find === '' ? <Tree {...props} /> : <Found {...props} find={find} />}
      </nav>
      <p class="tree-actions">
        <a href={linkTo(visit, '/data/stream/new', chosen === undefined ? {} : { parent: chosen.id })}>
          <IconImage name="plus" />
          {chosen === undefined ? words.newStream : words.newBelow}
        </a>
      </p>
    </details>
  )
}

function Search({ visit, chosen, find }: { visit: ConsoleVisit; chosen: ListedStream | undefined; find: string }) {
  const words = dataWords[visit.language]
  return (
    <SearchForm visit={visit} path={DATA_PATH} parameters={chosen === undefined ? {} : { stream: chosen.id }} more={{ class: 'tree-search', role: 'search' }}>
      <label class="hidden" for="find">
        {words.findStream}
      </label>
      <input type="search" id="find" name="find" value={find} maxlength={MAX_FIND} placeholder={words.findStream} dir="auto" />
      <button class="second small">
        <IconImage name="search" />
        <span class="hidden">{words.find}</span>
      </button>
    </SearchForm>
  )
}

function Found({ visit, streams, loaded, chosen, find }: TreeProps & { find: string }) {
  const words = dataWords[visit.language]
  const { found, isShortened } = foundStreams(streams, find)
  return (
    <>
      <p class="small" role="status">
        {found.length === 0 ? words.foundNone : words.found} <a href={streamLink(visit, chosen?.id ?? null)}>{words.showTree}</a>
      </p>
      <ul class="tree">
        {found.map((stream) => (
          <li>
            <StreamLink visit={visit} stream={stream} name={stream.path} summary={loaded.summaries?.get(stream.id)} isChosen={stream.id === chosen?.id} />
          </li>
        ))}
      </ul>
      {isShortened ? <p class="small soft">{words.foundShortened(found.length)}</p> : null}
    </>
  )
}

function Tree(props: TreeProps) {
  const { visit, streams, loaded, chosen } = props
  const words = dataWords[visit.language]
  const { nodes, left } = shownTree(streams, chosen?.id)
  return (
    <>
      <Level {...props} nodes={nodes} left={left} />
      {loaded.isPending && streams.ordered.length > 0 ? (
        <p class="small soft" data-later="yes" hidden={loaded.summaries !== undefined}>
          {words.counting}
        </p>
      ) : null}
      <Form visit={visit} path="/data/stream" id="move-stream">
        <input type="hidden" name="do" value="move" />
        <input type="hidden" name="from" value="tree" />
        <input type="hidden" name="id" value="" />
        <input type="hidden" name="parent" value="" />
      </Form>
    </>
  )
}

function Level({ nodes, left, ...props }: TreeProps & { nodes: readonly TreeNode[]; left: number }) {
  const { visit } = props
  const words = dataWords[visit.language]
  return (
    <ul class="tree">
      {nodes.map((node) => (
        <Branch {...props} node={node} />
      ))}
      {left > 0 ? <li class="small soft">{words.left(numberText(left, visit.language))}</li> : null}
    </ul>
  )
}

function Branch({ node, ...props }: TreeProps & { node: TreeNode }) {
  const { visit, loaded, chosen } = props
  const { stream, isOnPath, hasChildren, children, left } = node
  return (
    <li>
      <StreamLink visit={visit} stream={stream} name={stream.name} summary={loaded.summaries?.get(stream.id)} isChosen={stream.id === chosen?.id} hasChildren={hasChildren} />
      {children.length === 0 && left === 0 ? null : (
        <details data-branch={stream.id} open={isOnPath}>
          <summary>
            <span class="hidden">{dataWords[visit.language].below(stream.name)}</span>
          </summary>
          <Level {...props} nodes={children} left={left} />
        </details>
      )}
    </li>
  )
}

interface StreamLinkProps {
  visit: ConsoleVisit
  stream: ListedStream
  name: string
  summary: StreamSummary | undefined
  isChosen: boolean
  hasChildren?: boolean
}

function StreamLink({ visit, stream, name, summary, isChosen, hasChildren = false }: StreamLinkProps) {
  const words = dataWords[visit.language]
  const { id, isTrashed } = stream
  const last = lastText(visit, summary)
  return (
    <a
      class={hasChildren ? 'stream-link parent' : 'stream-link'}
      href={linkTo(visit, DATA_PATH, { stream: id, ...(isTrashed ? { state: 'all' } : {}) })}
      data-stream={id}
      {...(isChosen ? { 'aria-current': 'page' } : {})}
    >
      <span class="stream-name" dir="auto">
        {name}
      </span>
      {summary === undefined || summary.total === 0 ? null : (
        <span class="number soft small" title={words.countOf(numberText(summary.total, visit.language))}>
          {numberText(summary.total, visit.language)}
        </span>
      )}
      {last === '' && !isTrashed ? null : (
        <span class="stream-last soft" dir="auto">
          {isTrashed ? words.isTrashed : last}
        </span>
      )}
    </a>
  )
}

/** Returns the latest value directly in a stream, or its day. */
function lastText(visit: ConsoleVisit, summary: StreamSummary | undefined): string {
  if (summary?.last === undefined) return ''
  const { type, content, time } = summary.last
  const value = content === undefined ? '' : valueText({ type, content }, visit)
  if (value === '') return dayText(time, visit)
  return value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE).trimEnd()}…` : value
}
