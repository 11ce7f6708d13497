/** @jsxImportSource hono/jsx */
/** Permissions in words, one a line, with or without a box to tick. */
import type { ConsentRow } from '../../accessRequest/consentWords.js'

/** A row to choose. Browsers do not send a box that is locked: its value comes with a hidden field. */
export function Tick({ row, name, isTicked }: { row: ConsentRow; name: string; isTicked: boolean }) {
  const { id, isLocked } = row
  return (
    <label class="tick">
      <input type="checkbox" name={name} value={id} checked={isLocked || isTicked} disabled={isLocked} />
      {isLocked ? <input type="hidden" name={name} value={id} /> : null}
      <RowText {...row} />
    </label>
  )
}

/** A permission in words, with remarks; that it is required comes last and is marked. */
export function RowText({ what, details, isRequired = false }: Pick<ConsentRow, 'what' | 'details'> & { isRequired?: boolean }) {
  const remarks = isRequired ? details.slice(0, -1) : details
  return (
    <span class="row">
      <span>{what}</span>
      {remarks.length === 0 ? null : <span class="small soft">{remarks.join(' · ')}</span>}
      {isRequired ? (
        <span>
          <span class="tag">{details.at(-1)}</span>
        </span>
      ) : null}
    </span>
  )
}
