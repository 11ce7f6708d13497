/** @jsxImportSource hono/jsx */
/** Views of the API reference: all methods by group, and the page of a group. */
import { apiTemplate } from '../../config/apiEndpoint.js'
import { groupOf, groups, type Group } from '../../api/reference/groups.js'
import { answersJson, isServed, resultSchemaOf, routesOf } from '../../api/reference/reference.js'
import { commonObjects } from '../../api/reference/shape.js'
import { isOn, type Method } from '../../call/method.js'
import { methods } from '../../api/methods.js'
import { callsRoot, linkTo } from '../links.js'
import type { Answer, Visit } from '../page.js'
import { MethodSection, ObjectSection } from './method.js'
import { API_PAGE } from './path.js'
import { apiWords } from './words.js'

/** Methods with the same id: service information has two addresses. */
type SameId = readonly [Method, ...Method[]]

/** Renders all methods, or those of the group in the address. */
export function apiView(visit: Visit): Answer {
  const requested = visit.query.get('group')
  const group = groups.find(({ name }) => name === requested)
  return group === undefined ? overview(visit) : groupView(visit, group)
}

/** Returns the methods of a group that this node serves, grouped by id. */
function methodsOf(visit: Visit, group: Group): SameId[] {
  const served = methods.filter((each) => isServed(each) && isOn(visit.node, each) && groupOf(each.id) === group)
  const byId = new Map<string, SameId>()
  for (const each of served) byId.set(each.id, [...(byId.get(each.id) ?? []), each] as unknown as SameId)
  return [...byId.values()].sort(([a], [b]) => (a.id < b.id ? -1 : 1))
}

/** Returns the text that the filter searches: that of a method, in lower case. */
const filterText = ([method, ...others]: SameId): string =>
  [method.id, method.summary, ...[method, ...others].flatMap(routesOf)].join(' ').toLowerCase()

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
const abbreviations: Readonly<Record<string, string>> = { mfa: 'MFA', oauth: 'OAuth' }
const titleOf = ({ name }: Group): string => abbreviations[name] ?? capital(name)
const aboutOf = ({ about }: Group): string => `${capital(about)}.`

function Filter({ visit }: { visit: Visit }) {
  const words = apiWords[visit.language]
  return (
    <div class="filter" hidden data-filter>
      <label for="filter">{words.filter}</label>
      <input id="filter" type="search" autocomplete="off" spellcheck={false} aria-describedby="filter-hint" />
      <p class="hint" id="filter-hint">
        {words.filterHint}
      </p>
      <p class="soft" role="status" data-none={words.noMatch}></p>
    </div>
  )
}

function overview(visit: Visit): Answer {
  const { node } = visit
  const words = apiWords[visit.language]
  const body = (
    <>
      <p>{words.intro}</p>
      {words.english === undefined ? null : <p class="soft small">{words.english}</p>}
      <dl class="facts stacked">
        <dt>{words.address}</dt>
        <dd>
          <code>{apiTemplate(node)}</code>
        </dd>
        <dt>{words.authorization}</dt>
        <dd>{words.authorizationText}</dd>
        <dt>{words.operator}</dt>
        <dd>{words.operatorText}</dd>
        <dt>{words.answers}</dt>
        <dd>
          {words.answersText} {words.anyFailure}
        </dd>
      </dl>
      <p>
        <a href={`${callsRoot(node)}/openapi.json`}>{words.forPrograms}</a>
      </p>
      <Filter visit={visit} />
      {groups.map((group) => {
        const within = methodsOf(visit, group)
        if (within.length === 0) return null
        const page = linkTo(visit, API_PAGE, { group: group.name })
        return (
          <section id={group.name} data-filter-group>
            <h2 lang="en">
              <a href={page}>{titleOf(group)}</a>
            </h2>
            <p class="soft small" lang="en">
              {aboutOf(group)}
            </p>
            <ul class="methods">
              {within.map((each) => (
                <li data-filtered={filterText(each)}>
                  <a href={`${page}#${each[0].id}`}>
                    <code>{each[0].id}</code>
                  </a>
                  <span lang="en">{each[0].summary}</span>
                </li>
              ))}
            </ul>
          </section>
        )
      })}
    </>
  )
  return { title: words.title, body, isWide: true }
}

function groupView(visit: Visit, group: Group): Answer {
  const words = apiWords[visit.language]
  const within = methodsOf(visit, group)
  const common = commonObjects(within.flat().filter(answersJson).map(resultSchemaOf))
  const body = (
    <>
      <nav aria-label={words.groups}>
        <ul class="groups small">
          <li>
            <a href={linkTo(visit, API_PAGE)}>{words.overview}</a>
          </li>
          {groups.map((each) => (
            <li lang="en">
              <a href={linkTo(visit, API_PAGE, { group: each.name })} {...(each === group ? { 'aria-current': 'page' } : {})}>
                {titleOf(each)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <p lang="en">{aboutOf(group)}</p>
      {words.english === undefined ? null : <p class="soft small">{words.english}</p>}
      <Filter visit={visit} />
      <ul class="methods">
        {within.map((each) => (
          <li data-filtered={filterText(each)}>
            <a href={`#${each[0].id}`}>
              <code>{each[0].id}</code>
            </a>
            <span lang="en">{each[0].summary}</span>
          </li>
        ))}
      </ul>
      {within.map((each) => (
        <section class="method" id={each[0].id} data-filtered={filterText(each)}>
          <MethodSection visit={visit} methods={each} common={common} />
        </section>
      ))}
      {common.size === 0 ? null : (
        <>
          <h2>{words.objects}</h2>
          {[...common].map(([json, name]) => (
            <ObjectSection visit={visit} name={name} json={json} common={common} />
          ))}
        </>
      )}
    </>
  )
  return { title: `${words.title} – ${titleOf(group)}`, body, isWide: true }
}
