/** Style sheet of lists of files, and of uploads. */
export const filesStyleText = `
.pictures{list-style:none;margin:.5rem 0 1rem;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,9.5rem),1fr));gap:.75rem}
.pictures a{display:flex;flex-direction:column;gap:.375rem;color:var(--text);text-decoration:none}
.pictures a:hover .caption{text-decoration:underline}
.filebar,.filebar .filter{align-items:end}
.filebar .filter{flex-wrap:nowrap}
.filter button{margin-bottom:.1875rem}
.thumb{width:100%;height:auto;aspect-ratio:1;object-fit:cover;border-radius:.5rem;border:1px solid var(--line);background:var(--mark);display:block;font-size:.875rem}
.caption{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden;overflow-wrap:anywhere;font-size:.875rem}
.shown{width:100%;height:min(60vh,32rem);object-fit:contain;border-radius:.5rem;border:1px solid var(--line);background:var(--mark);display:block}
.filelist{list-style:none;margin:.5rem 0;padding:0}
.filelist li{display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:baseline}
.dropzone{border:2px dashed var(--line);border-radius:.75rem;padding:1rem 1.125rem;background:var(--card);margin-bottom:1rem}
.dropzone.over{border-color:var(--accent);background:var(--mark)}
.dropzone label:first-child{margin-top:0}
.dropzone input[type=file]{border-style:none;padding:.5rem 0;background:none}
.dropzone input[type=file]::file-selector-button{font:inherit;font-weight:600;padding:.5rem 1rem;margin-right:.75rem;border-radius:.375rem;border:1px solid var(--accent);background:transparent;color:var(--accent);cursor:pointer}
progress{width:100%;height:1rem;accent-color:var(--accent)}
`
