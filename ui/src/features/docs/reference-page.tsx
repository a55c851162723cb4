// The reference of the API: objects with their methods, what each takes and answers, and examples.

import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { keys } from "@/api/query-keys";
import {
  fetchReference,
  type Reference,
  type ReferenceExample,
  type ReferenceMethod,
} from "@/api/reference";
import { plural, t } from "@/lib/i18n";
import { NotFound } from "@/ui/not-found";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import classes from "./docs.module.css";
import { DocsTabs } from "./docs-tabs";
import {
  type FieldRow,
  fieldRows,
  objectOf,
  objectsOf,
  propertiesOf,
  searchMethods,
} from "./reference";

export function ReferencePage({ object }: { readonly object: string | undefined }) {
  const [text, setText] = useState("");
  const query = useQuery({
    queryKey: keys.reference,
    queryFn: ({ signal }) => fetchReference(signal),
    // it changes with the program
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Page
      title={t("API reference")}
      note={
        query.data === undefined
          ? undefined
          : plural(query.data.methods.length, "1 method", "{n} methods")
      }
      actions={<DocsTabs />}
      filters={
        <SearchBox value={text} onChange={setText} placeholder={t("Search methods")} width={320} />
      }
    >
      <QueryGate query={query}>
        {(reference) => (
          <div className={classes["docs"]} data-open={object !== undefined || undefined}>
            <Objects reference={reference} query={text} open={object} />
            {object === undefined ? (
              <About />
            ) : (
              <ObjectArticle key={object} reference={reference} object={object} />
            )}
          </div>
        )}
      </QueryGate>
    </Page>
  );
}

interface ObjectsProps {
  readonly reference: Reference;
  readonly query: string;
  readonly open: string | undefined;
}

function Objects({ reference, query, open }: ObjectsProps) {
  const objects = useMemo(() => [...objectsOf(reference).keys()], [reference]);
  const isSearch = query.trim() !== "";
  const hits = useMemo(
    () => (isSearch ? searchMethods(reference, query) : []),
    [reference, query, isSearch],
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <nav className={classes["list"]} aria-label={t("Objects and methods")} tabIndex={0}>
      {isSearch
        ? hits.map(({ name }) => (
            <Link
              key={name}
              to="/docs/api/$object"
              params={{ object: objectOf(name) }}
              hash={name}
              className={classes["entry"]}
            >
              {name}
            </Link>
          ))
        : objects.map((name) => (
            <Link
              key={name}
              to="/docs/api/$object"
              params={{ object: name }}
              aria-current={name === open ? "page" : undefined}
              className={classes["entry"]}
            >
              {name}
            </Link>
          ))}
      {isSearch && hits.length === 0 ? <EmptyState title={t("Nothing found")} /> : null}
    </nav>
  );
}

const CALL = `curl -s ${window.location.origin}/api_jsonrpc.php \\
  -H 'Content-Type: application/json' -H "Authorization: Bearer $TOKEN" \\
  -d '{"jsonrpc":"2.0","method":"host.get","params":{"output":["host"]},"id":1}'`;

function About() {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <article className={classes["text"]} tabIndex={0} aria-label={t("About the API")}>
      <p>
        {t(
          "JSON-RPC 2.0, compatible with Zabbix 7.0. Send calls by POST to /api_jsonrpc.php, with an API token or the session from user.login.",
        )}
      </p>
      <pre>
        <code>{CALL}</code>
      </pre>
      <p>
        {t(
          "IDs, numbers and codes are strings in responses. Parameters can be strings or numbers.",
        )}{" "}
        {t("Each example was sent to a server; the response of the server is shown with it.")}
      </p>
      <p>
        <a href="/docs/api/openrpc.json">{t("The whole API as an OpenRPC document")}</a>
      </p>
    </article>
  );
}

interface ObjectArticleProps {
  readonly reference: Reference;
  readonly object: string;
}

function ObjectArticle({ reference, object }: ObjectArticleProps) {
  const hash = useLocation({ select: (it) => it.hash });
  useEffect(() => {
    if (hash !== "") document.getElementById(hash)?.scrollIntoView();
  }, [hash]);
  const methods = objectsOf(reference).get(object);
  if (methods === undefined) return <NotFound title={t("There is no such object of the API.")} />;
  const tag = reference.components.tags[object];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <article className={classes["text"]} tabIndex={0} aria-label={object}>
      <h2>{object}</h2>
      {tag?.description === undefined ? null : <p>{tag.description}</p>}
      <Fields reference={reference} type={tag?.["x-type"]} />
      {methods.map((method) => (
        <Method key={method.name} reference={reference} method={method} />
      ))}
    </article>
  );
}

function ownPages(reference: Reference): ReadonlySet<string> {
  const types = Object.values(reference.components.tags).map((it) => it["x-type"]);
  return new Set(types.filter((it) => it !== undefined));
}

interface FieldsProps {
  readonly reference: Reference;
  readonly type: string | undefined;
}

/** What is answered of an object. */
function Fields({ reference, type }: FieldsProps) {
  const { schemas } = reference.components;
  const schema = type === undefined ? undefined : schemas[type];
  const rows = useMemo(
    () =>
      schema === undefined ? [] : fieldRows(propertiesOf(schema), schemas, ownPages(reference)),
    [schema, schemas, reference],
  );
  if (rows.length === 0) return null;
  return (
    <details>
      <summary>{t("Fields of the object")}</summary>
      <FieldTable rows={rows} />
    </details>
  );
}

function FieldTable({ rows }: { readonly rows: readonly FieldRow[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <table tabIndex={0}>
      <thead>
        <tr>
          <th scope="col">{t("Name")}</th>
          <th scope="col">{t("Type")}</th>
          <th scope="col">{t("Description")}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, type, isRequired, text }) => (
          <tr key={name}>
            <td>
              <code>{name}</code>
              {isRequired ? <span className="dim"> {t("required")}</span> : null}
            </td>
            <td>{type}</td>
            <td>{text}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface MethodProps {
  readonly reference: Reference;
  readonly method: ReferenceMethod;
}

function whoText(role: string): string {
  switch (role) {
    case "anybody":
      return t("Needs no login.");
    case "user":
      return t("For all users.");
    case "admin":
      return t("For admins.");
    default:
      return t("For super admins.");
  }
}

function Method({ reference, method }: MethodProps) {
  const rows = useMemo(() => {
    const params = method.params.map(({ name, schema, required = false, description }) => ({
      name,
      required,
      schema: { ...schema, description },
    }));
    return fieldRows(params, reference.components.schemas, ownPages(reference));
  }, [method, reference]);
  return (
    <section id={method.name} aria-label={method.name}>
      <h3>
        <code>{method.name}</code>
      </h3>
      <p>
        {method.summary}. {method.description}{" "}
        <span className="dim">{whoText(method["x-role"])}</span>
      </p>
      {rows.length === 0 ? null : (
        <details>
          <summary>{t("Parameters")}</summary>
          <FieldTable rows={rows} />
        </details>
      )}
      {method.examples?.map((example) => (
        <Example key={JSON.stringify(example)} method={method.name} example={example} />
      ))}
    </section>
  );
}

interface ExampleProps {
  readonly method: string;
  readonly example: ReferenceExample;
}

function Example({ method, example }: ExampleProps) {
  const request = { jsonrpc: "2.0", method, params: example["x-params"], id: 1 };
  const error = example["x-error"];
  const answer = error === undefined ? example.result?.value : { error: { data: error } };
  return (
    <div className={classes["example"]}>
      <div>
        <span className="dim">
          {example.name === method ? t("Request") : t("Request: {what}", { what: example.name })}
        </span>
        <Json value={request} />
      </div>
      <div>
        <span className="dim">{error === undefined ? t("Result") : t("Error")}</span>
        <Json value={answer} />
      </div>
    </div>
  );
}

function Json({ value }: { readonly value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <pre tabIndex={0}>
      <code>{JSON.stringify(value, null, 2)}</code>
    </pre>
  );
}
