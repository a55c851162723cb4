import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { ListLink } from "./list-link";

it("a plain click stays in the tab's pages; others are the browser's", async () => {
  const history = createMemoryHistory({ initialEntries: ["/latest"] });
  const root = createRootRoute({
    component: () => (
      <ListLink to="/hosts/7" opensRow>
        web
      </ListLink>
    ),
    notFoundComponent: () => null,
  });
  render(<RouterProvider router={createRouter({ routeTree: root, history }) as never} />);
  const link = await screen.findByRole("link", { name: "web" });
  expect(link.getAttribute("href")).toBe("/hosts/7");
  expect(link.hasAttribute("data-opens-row")).toBe(true);
  // true: nobody prevented what the browser does with it
  expect(fireEvent.click(link, { ctrlKey: true })).toBe(true);
  expect(fireEvent.click(link, { shiftKey: true })).toBe(true);
  expect(history.location.pathname).toBe("/latest");
  expect(fireEvent.click(link)).toBe(false);
  expect(history.location.pathname).toBe("/hosts/7");
});
