/**
 * Script of the pages about people and apps. `data-copy` holds the id of the element whose text the button copies, and
 * `data-copied` the text of the button afterwards; `data-print` prints the page. Without scripts, these buttons are hidden.
 */
export const peopleScriptText = `
'use strict'
for (const button of document.querySelectorAll('button[data-copy]')) {
  const text = button.textContent
  button.hidden = navigator.clipboard === undefined
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent)
    button.textContent = button.dataset.copied
    setTimeout(() => { button.textContent = text }, 3000)
  })
}
for (const button of document.querySelectorAll('button[data-print]')) {
  button.hidden = false
  button.addEventListener('click', () => print())
}
`
