import { MantineProvider } from "@mantine/core";
import {
  keepPreviousData,
  QueryClient,
  QueryClientProvider,
  useQuery,
} from "@tanstack/react-query";
import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { ApiError } from "@/api/http";
import { QueryGate } from "./states";
import { theme } from "./theme";

interface Asked {
  readonly name: string;
  readonly answer: (rows: string) => void;
  readonly fail: (why: string) => void;
}

let asked: Asked[] = [];

function Rows({ name }: { readonly name: string }) {
  const query = useQuery({
    queryKey: [name],
    queryFn: () =>
      new Promise<string>((answer, reject) => {
        asked.push({ name, answer, fail: (why) => reject(new ApiError("server", why, "")) });
      }),
    retry: false,
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <output>{query.fetchStatus}</output>
      <QueryGate query={query}>{(rows) => <p>{rows}</p>}</QueryGate>
    </>
  );
}

function view(name: string, client: QueryClient) {
  return (
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={client}>
        <Rows name={name} />
      </QueryClientProvider>
    </MantineProvider>
  );
}

const shown = () =>
  [...document.querySelectorAll("[role=alert], [role=status][aria-label], p")].map(textOf);
const textOf = (element: Element) => element.getAttribute("aria-label") ?? element.textContent;

it("says that it failed until a retry has answered", async () => {
  asked = [];
  const client = new QueryClient();
  const { rerender } = render(view("a", client));
  expect(shown()).toEqual(["Loading"]);
  asked[0]?.fail("first");
  await screen.findByText("first");
  const failed = shown();
  await tryAgain();
  expect(shown()).toEqual(failed);
  asked[1]?.answer("rows of a");
  await screen.findByText("rows of a");

  // another list: the rows before stay until it has failed, and do not come back with its retry
  rerender(view("b", client));
  expect(shown()).toEqual(["rows of a"]);
  asked[2]?.fail("second");
  await screen.findByText("second");
  await tryAgain();
  expect(shown()[0]).toContain("second");
  asked[3]?.answer("rows of b");
  await screen.findByText("rows of b");
  expect(shown()).toEqual(["rows of b"]);
});

async function tryAgain(): Promise<void> {
  const n = asked.length;
  fireEvent.click(screen.getByText("Try again"));
  await screen.findByText("fetching");
  expect(asked).toHaveLength(n + 1);
}
