/** @jsxImportSource hono/jsx */
/** Sections of the API reference: one method, and one object type of its results. */
import type { Child } from 'hono/jsx'
import { failures } from '../../../store/model/failure.js'
import { compactJson } from '../../api/reference/compactJson.js'
import { curlOf } from '../../api/reference/exampleCall.js'
import { examplePlacesOf } from '../../api/reference/examplePlaces.js'
import { exampleOf } from '../../api/reference/examples/examples.js'
import { callersOf, failuresOf, parametersOf, protocolOf, readOnlyGroups, resultSchemaOf, routesOf, statusOf } from '../../api/reference/reference.js'
import { members, notation, type Member, type Schema } from '../../api/reference/shape.js'
import type { Method } from '../../call/method.js'
import type { Visit } from '../page.js'
import { apiWords } from './words.js'

/** Names of the object types shared by several results of a page, by their JSON schema. */
type Names = ReadonlyMap<string, string>

export function MethodSection({ visit, methods, common }: { visit: Visit; methods: readonly [Method, ...Method[]]; common: Names }) {
  const words = apiWords[visit.language]
  const [method] = methods
  return (
    <>
      <h2>
        <a href={`#${method.id}`}>{method.id}</a>
      </h2>
      <p lang="en">{method.summary}</p>
      <p class="soft small" lang="en">
        {callersOf(method)}
      </p>
      <Code lines={methods.flatMap(routesOf)} />
      <h3>{words.parameters}</h3>
      <MemberTable visit={visit} all={parametersOf(method)} tag="required" none={words.noParameters} />
      {method.takesFiles === undefined ? null : <p>{words.files}</p>}
      <Result visit={visit} method={method} common={common} />
      <Failures visit={visit} method={method} />
      <ExampleCall visit={visit} method={method} />
    </>
  )
}

const Code = ({ lines, id }: { lines: readonly string[]; id?: string }) => (
  <pre lang="en" {...(id === undefined ? {} : { id })}>
    <code>{lines.join('\n')}</code>
  </pre>
)

/** Renders members with their types and descriptions; narrow screens stack the cells. */
function MemberTable({ visit, all, tag, none, common = new Map() }: MemberTableProps) {
  const words = apiWords[visit.language]
  if (all.length === 0) return none === undefined ? <></> : <p>{none}</p>
  const writable = all.filter(({ isReadOnly }) => !isReadOnly)
  return (
    <>
      <Table heads={[words.name, words.form, words.meaning]}>
        {writable.map(({ path, form, isRequired, description }) => (
          <tr>
            <th scope="row">
              <code>{path}</code>
            </th>
            <td>
              <Form form={form} common={common} />
              {isRequired === (tag === 'required') ? <span class="tag">{words[tag]}</span> : null}
            </td>
            <td lang="en">{description}</td>
          </tr>
        ))}
      </Table>
      {readOnlyGroups(all).map((group) => (
        <p class="small" lang="en">
          <code>{group.paths.join(', ')}</code>
          {`: ${group.description}`}
        </p>
      ))}
    </>
  )
}

interface MemberTableProps {
  visit: Visit
  all: readonly Member[]
  /** Tag of a member: `required` marks required parameters, `optional` marks optional result members. */
  tag: 'required' | 'optional'
  none?: string
  common?: Names
}

/** Renders a type; the name of an object links to its section. */
function Form({ form, common }: { form: string; common: Names }) {
  const [, before = '', name = ''] = /^(a list of )?([A-Z]\w*)$/.exec(form) ?? []
  if (![...common.values()].includes(name)) return <span lang="en">{form}</span>
  return (
    <span lang="en">
      {before}
      <a href={`#object-${name}`}>{name}</a>
    </span>
  )
}

const Table = ({ heads, children }: { heads: readonly string[]; children?: Child }) => (
  <table class="api">
    <thead>
      <tr>
        {heads.map((head) => (
          <th scope="col">{head}</th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
)

function Result({ visit, method, common }: { visit: Visit; method: Method; common: Names }) {
  const words = apiWords[visit.language]
  const protocol = protocolOf(method)
  if (protocol !== undefined && protocol.answers[200] === undefined) return <></>
  const status = statusOf(method)
  const isPlain = method.http.rawText !== undefined
  const schema = resultSchemaOf(method)
  return (
    <>
      <h3>{words.result}</h3>
      {status === undefined || status === 200 ? null : <p>{words.withStatus(status)}</p>}
      {method.http.sendsFile === true ? (
        <p>{words.isFile}</p>
      ) : isPlain ? (
        <p>{words.isText(method.http.rawText === true ? 'text/plain' : String(method.http.rawText))}</p>
      ) : status === 204 ? null : (
        <>
          <Code lines={notation(schema, common)} />
          <MemberTable visit={visit} all={members(schema, '', common)} common={common} tag="optional" />
        </>
      )}
    </>
  )
}

function Failures({ visit, method }: { visit: Visit; method: Method }) {
  const words = apiWords[visit.language]
  const protocol = protocolOf(method)
  if (protocol !== undefined) {
    return (
      <>
        <h3>{words.statuses}</h3>
        <Table heads={[words.status, words.meaning]}>
          {Object.entries(protocol.answers).map(([status, { description }]) => (
            <tr>
              <th scope="row">{status}</th>
              <td lang="en">{description}</td>
            </tr>
          ))}
        </Table>
      </>
    )
  }
  const all = failuresOf(method)
  return (
    <>
      <h3>{words.failures}</h3>
      {all.length === 0 ? (
        <p>{words.noFailures}</p>
      ) : (
        <Table heads={[words.id, words.status, words.meaning]}>
          {all.map(({ id, status }) => (
            <tr>
              <th scope="row">
                <code>{id}</code>
              </th>
              <td>{status}</td>
              <td lang="en">{failures[id]}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  )
}

function ExampleCall({ visit, method }: { visit: Visit; method: Method }) {
  const words = apiWords[visit.language]
  const example = exampleOf(method.id)
  if (example === undefined) return <></>
  const { answer, text, location } = example
  const answered = answer !== undefined ? compactJson(answer) : text !== undefined ? text.trimEnd().split('\n') : location === undefined ? [] : [`Location: ${location}`]
  const place = `curl-${method.id}`
  return (
    <>
      <div class="split">
        <h3>{words.example}</h3>
        <button type="button" class="link small" hidden data-copy={place} data-copied={words.copied} aria-label={`${words.copy}: ${method.id}`}>
          {words.copy}
        </button>
      </div>
      <Code lines={curlOf(method, example, examplePlacesOf(visit.node))} id={place} />
      {answered.length === 0 ? null : (
        <>
          <h3>{words.answer}</h3>
          <Code lines={answered} />
        </>
      )}
    </>
  )
}

/** Renders an object type that several results share. */
export function ObjectSection({ visit, name, json, common }: { visit: Visit; name: string; json: string; common: Names }) {
  const others = new Map([...common].filter(([key]) => key !== json))
  return (
    <section class="method" id={`object-${name}`}>
      <h3>
        <code>{name}</code>
      </h3>
      <MemberTable visit={visit} all={members(JSON.parse(json) as Schema, '', others)} common={others} tag="optional" />
    </section>
  )
}
