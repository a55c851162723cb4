// The guide: its pages with a search over titles, headings and texts, and the one that is open.

import { Link, useLocation, useNavigate } from "@tanstack/react-router";
import { type MouseEvent, useEffect, useMemo, useState } from "react";
import { t } from "@/lib/i18n";
import { NotFound } from "@/ui/not-found";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState } from "@/ui/states";
import { Markdown, type MarkdownRules } from "@/widgets/markdown";
import classes from "./docs.module.css";
import { DocsTabs } from "./docs-tabs";
import { anchorOf, GUIDE, guideHref, guideImage, guidePage, plainText, searchGuide } from "./guide";

export function GuidePage({ name }: { readonly name: string | undefined }) {
  const [query, setQuery] = useState("");
  const page = name === undefined ? undefined : guidePage(name);
  return (
    <Page
      title={t("User guide")}
      actions={<DocsTabs />}
      filters={
        <SearchBox
          value={query}
          onChange={setQuery}
          placeholder={t("Search the guide")}
          width={320}
        />
      }
    >
      <div className={classes["docs"]} data-open={name !== undefined || undefined}>
        <Contents query={query} open={name} />
        {name === undefined ? <Welcome /> : <Article key={name} name={name} />}
        {name !== undefined && page === undefined ? (
          <NotFound title={t("There is no such page of the guide.")} />
        ) : null}
      </div>
    </Page>
  );
}

interface ContentsProps {
  readonly query: string;
  readonly open: string | undefined;
}

function Contents({ query, open }: ContentsProps) {
  const hits = useMemo(() => searchGuide(query), [query]);
  const isSearch = query.trim() !== "";
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <nav className={classes["list"]} aria-label={t("Pages of the guide")} tabIndex={0}>
      {hits.map(({ page, headings }) => (
        <div key={page.name}>
          <Link
            to="/docs/$page"
            params={{ page: page.name }}
            aria-current={page.name === open ? "page" : undefined}
            className={classes["entry"]}
          >
            {page.title}
          </Link>
          {isSearch
            ? headings.map(({ title, anchor }) => (
                <Link
                  key={anchor}
                  to="/docs/$page"
                  params={{ page: page.name }}
                  hash={anchor}
                  className={classes["section"]}
                >
                  {title}
                </Link>
              ))
            : null}
        </div>
      ))}
      {hits.length === 0 ? <EmptyState title={t("Nothing found")} /> : null}
    </nav>
  );
}

/** The table of contents, shown while no page is open. */
function Welcome() {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <article className={classes["text"]} tabIndex={0} aria-label={t("Contents")}>
      <ul className={classes["contents"]}>
        {GUIDE.map(({ name, title, about }) => (
          <li key={name}>
            <Link to="/docs/$page" params={{ page: name }}>
              {title}
            </Link>
            {about === "" ? null : <span className="dim"> {about}</span>}
          </li>
        ))}
      </ul>
    </article>
  );
}

function Article({ name }: { readonly name: string }) {
  const page = guidePage(name);
  const hash = useLocation({ select: (it) => it.hash });
  const navigate = useNavigate();
  useEffect(() => {
    if (hash !== "") document.getElementById(hash)?.scrollIntoView();
  }, [hash]);
  const rules = useMemo((): MarkdownRules => rulesOf(name), [name]);
  if (page === undefined) return null;
  /** Links to other pages go by the router: nothing is reloaded. */
  const follow = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const href = link?.getAttribute("href");
    const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (!href?.startsWith("/docs") || !isPlain) return;
    event.preventDefault();
    void navigate({ href });
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click as well
    <article
      className={classes["text"]}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
      tabIndex={0}
      aria-label={page.title}
      onClick={follow}
    >
      <Markdown text={page.text} rules={rules} />
    </article>
  );
}

function rulesOf(page: string): MarkdownRules {
  return {
    href: (href) => guideHref(href, page),
    image: guideImage,
    breaks: false,
    heading: (depth, text, children) => {
      const id = anchorOf(plainText(text));
      // the page's own heading is the first one
      if (depth === 1) return <h2 id={id}>{children}</h2>;
      return depth === 2 ? <h3 id={id}>{children}</h3> : <h4 id={id}>{children}</h4>;
    },
  };
}
